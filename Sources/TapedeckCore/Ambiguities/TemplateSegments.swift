/// The source of a template, segment by segment.
struct TemplateSegments {
    let list: [Substring]
    /// True for each segment that is not only text.
    let gaps: [Bool]
    private let query: Substring

    /// - Parameter origin: for a template that names none.
    init(_ source: String, origin: Origin) {
        let whole = source.hasPrefix("/") ? "\(origin)\(source)" : source
        let path = whole.prefix { $0 != "?" }
        self.list = path.split(separator: "/", omittingEmptySubsequences: false)
        self.gaps = self.list.map { $0.contains("{") }
        self.query = whole.dropFirst(path.count)
    }

    /// Returns true if each has a gap where the other has text.
    func mayCross(_ others: [Bool]) -> Bool {
        let pairs = zip(self.gaps, others)
        return self.gaps.count == others.count && pairs.contains { $0 && !$1 } && pairs.contains { !$0 && $1 }
    }

    /// A URL that both may take; `nil` when they plainly share none.
    func crossing(_ other: TemplateSegments) -> String? {
        var path: [Substring] = []
        for index in self.list.indices {
            let (own, others) = (self.list[index], other.list[index])
            if !self.gaps[index], !other.gaps[index], own != others { return nil }
            // Of two gaps, the one with text around it is more specific.
            let takesOthers = !other.gaps[index] || self.gaps[index] && own.hasPrefix("{") && own.hasSuffix("}")
            path.append(takesOthers ? others : own)
        }
        return Self.filled(path.joined(separator: "/") + (self.query.isEmpty ? other.query : self.query))
    }

    /// The source of a template with something in its gaps.
    static func filled(_ source: String) -> String {
        source.split(separator: "{", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? $1 : "1" + $1.drop { $0 != "}" }.dropFirst() }
            .joined()
    }
}
