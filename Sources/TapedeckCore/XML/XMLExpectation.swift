/// An expected XML document. A text or attribute in it may have the placeholders of a ``JSONExpectation``.
package struct XMLExpectation: Sendable {
    /// A place where a document differs.
    package struct Difference: Sendable {
        /// Such as `/Envelope/Body/Order[2]/@id`.
        package var path: String
        package var wanted: String?
        package var came: String?
    }

    /// `nil` if nothing counts.
    let root: XMLElement?
    let ignored: [XMLPath]

    /// Returns `nil` for a text that is no XML.
    package init?(_ bytes: [UInt8], ignoring ignored: [XMLPath]) {
        guard let root = XMLParser.parse(bytes) else { return nil }
        (self.root, self.ignored) = (root.removing(ignored), ignored)
    }

    /// True if a text or attribute that counts has a placeholder.
    var hasPlaceholders: Bool { self.root.map(Self.hasPlaceholders) ?? false }

    private static func hasPlaceholders(_ element: XMLElement) -> Bool {
        element.attributes.contains { JSONTextPattern($0.value).hasPlaceholders }
            || element.children.contains { child in
                switch child {
                case .text(let text): JSONTextPattern(text).hasPlaceholders
                case .element(let element): self.hasPlaceholders(element)
                }
            }
    }

    func matches(_ root: XMLElement) -> Bool {
        self.differences(root, limit: 1).isEmpty
    }

    /// Returns the places where a document differs, at most `limit`.
    func differences(_ root: XMLElement, limit: Int) -> [Difference] {
        let came = root.removing(self.ignored)
        guard let wanted = self.root, let came else {
            let isMet = self.root == nil && came == nil
            return isMet
                ? [] : [Difference(path: "/\(root.name.local)", wanted: self.root?.name.local, came: came?.name.local)]
        }
        var differences: [Difference] = []
        Self.compare(wanted, came, at: "/\(wanted.name.local)", limit, &differences)
        return differences
    }

    private static func isMet(_ wanted: String, _ came: String) -> Bool {
        if wanted.isSameText(as: came) { return true }
        let pattern = JSONTextPattern(wanted)
        return pattern.hasPlaceholders && pattern.matches(came)
    }

    private static func compare(
        _ wanted: XMLElement,
        _ came: XMLElement,
        at path: String,
        _ limit: Int,
        _ found: inout [Difference]
    ) {
        guard found.count < limit else { return }
        guard wanted.name == came.name else {
            let isNamespace = wanted.name.local == came.name.local
            found.append(
                Difference(
                    path: path,
                    wanted: isNamespace ? "the namespace \(wanted.name.namespace)" : wanted.name.local,
                    came: isNamespace ? came.name.namespace : came.name.local
                )
            )
            return
        }
        self.compare(wanted.attributes, came.attributes, at: path, limit, &found)
        var counts: [String: Int] = [:]
        let totals = Dictionary((wanted.elements + came.elements).map { ($0.name.local, 1) }, uniquingKeysWith: +)
        for (one, other) in Self.aligned(wanted.children, came.children) where found.count < limit {
            let element = (one ?? other).flatMap { if case .element(let element) = $0 { element } else { nil } }
            var place = path
            if let name = element?.name.local {
                let number = counts[name, default: 0] + 1
                counts[name] = number
                place += "/\(name)" + (totals[name, default: 0] <= 2 ? "" : "[\(number)]")
            }
            switch (one, other) {
            case (.element(let one)?, .element(let other)?): self.compare(one, other, at: place, limit, &found)
            case (.text(let one)?, .text(let other)?):
                if !self.isMet(one, other) { found.append(Difference(path: path, wanted: one, came: other)) }
            default: found.append(Difference(path: place, wanted: one.map(self.summary), came: other.map(self.summary)))
            }
        }
    }

    /// Pairs children: elements of one name with each other, in their order, and texts with texts.
    private static func aligned(
        _ wanted: [XMLElement.Child],
        _ came: [XMLElement.Child]
    ) -> [(XMLElement.Child?, XMLElement.Child?)] {
        func key(_ child: XMLElement.Child) -> String {
            if case .element(let element) = child { "<\(element.name.local)" } else { "text" }
        }
        var pairs: [(XMLElement.Child?, XMLElement.Child?)] = []
        var rest = came[...]
        for child in wanted {
            guard let place = rest.firstIndex(where: { key($0) == key(child) }) else {
                pairs.append((child, nil))
                continue
            }
            pairs += rest[..<place].map { (nil, $0) }
            pairs.append((child, rest[place]))
            rest = rest[(place + 1)...]
        }
        return pairs + rest.map { (nil, $0) }
    }

    private static func compare(
        _ wanted: [XMLElement.Attribute],
        _ came: [XMLElement.Attribute],
        at path: String,
        _ limit: Int,
        _ found: inout [Difference]
    ) {
        let names = wanted.map(\.name) + came.map(\.name).filter { name in !wanted.contains { $0.name == name } }
        for name in names where found.count < limit {
            let one = wanted.first { $0.name == name }?.value
            let other = came.first { $0.name == name }?.value
            if let one, let other, self.isMet(one, other) { continue }
            found.append(Difference(path: "\(path)/@\(name.local)", wanted: one, came: other))
        }
    }

    private static func summary(_ child: XMLElement.Child) -> String {
        switch child {
        case .text(let text): text
        case .element(let element): "an element \(element.name.local)"
        }
    }
}
