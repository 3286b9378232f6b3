/// An element of an XML document, as far as two documents are compared: names with their namespaces, attributes and text.
///
/// Prefixes, the order of attributes, comments, processing instructions, white space between elements and the spelling of
/// characters are not part of it.
package struct XMLElement: Sendable, Equatable {
    package struct Name: Sendable, Hashable {
        /// Empty for names in no namespace.
        package var namespace: String
        package var local: String
    }

    package struct Attribute: Sendable, Equatable {
        package var name: Name
        package var value: String
    }

    package enum Child: Sendable, Equatable {
        case element(XMLElement)
        case text(String)
    }

    package var name: Name
    /// Sorted by namespace and name.
    package var attributes: [Attribute]
    package var children: [Child]

    /// Bytes that are equal for equal elements. They are made to be compared, not to be read as XML.
    package var canonical: [UInt8] {
        var bytes: [UInt8] = []
        self.appendCanonical(to: &bytes)
        return bytes
    }

    private func appendCanonical(to bytes: inout [UInt8]) {
        Self.append("<", self.name, to: &bytes)
        for attribute in self.attributes {
            Self.append("@", attribute.name, to: &bytes)
            Self.append("=", attribute.value, to: &bytes)
        }
        for child in self.children {
            switch child {
            case .element(let element): element.appendCanonical(to: &bytes)
            case .text(let text): Self.append("#", text, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: ">"))
    }

    private static func append(_ sign: StaticString, _ name: Name, to bytes: inout [UInt8]) {
        self.append(sign, name.namespace, to: &bytes)
        self.append(":", name.local, to: &bytes)
    }

    /// The length makes texts unambiguous.
    private static func append(_ sign: StaticString, _ text: String, to bytes: inout [UInt8]) {
        let text = ByteText.bytes(of: text)
        bytes += "\(sign)\(text.count) ".utf8
        bytes += text
    }

    /// Returns the element without what some paths select; `nil` if one selects the element itself.
    package func removing(_ paths: [XMLPath]) -> XMLElement? {
        paths.isEmpty ? self : self.removing(paths.map(\.steps))
    }

    /// - Parameter rests: the steps of paths that lead here.
    private func removing(_ rests: [ArraySlice<XMLPath.Step>]) -> XMLElement? {
        let matching = rests.filter { $0.first.map { !$0.isAttribute && $0.takes(self.name) } ?? false }
        if matching.contains(where: { $0.count == 1 }) { return nil }
        // A step at any depth goes on to be looked for.
        let below = matching.map { $0.dropFirst() } + rests.filter { $0.first?.isDeep ?? false }
        guard !below.isEmpty else { return self }
        var result = self
        result.attributes.removeAll { attribute in
            below.contains { $0.count == 1 && $0.first.map { $0.isAttribute && $0.takes(attribute.name) } ?? false }
        }
        result.children = self.children.compactMap { child in
            guard case .element(let element) = child else { return child }
            return element.removing(below).map(Child.element)
        }
        return result
    }

    /// The text of the element, without that of elements in it.
    var text: String {
        self.children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    var elements: [XMLElement] {
        self.children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }
}
