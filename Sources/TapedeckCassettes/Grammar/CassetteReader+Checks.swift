import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    // MARK: Saying what is wrong

    mutating func error(_ node: YAMLNode, _ message: String) {
        self.report(.error, node.position, message)
    }

    mutating func warn(_ node: YAMLNode, _ message: String) {
        self.report(.warning, node.position, message)
    }

    /// Reports an error at a byte of a scalar's text, or at the scalar if the byte has no position.
    mutating func error(_ node: YAMLNode, atTextByte offset: Int, _ message: String) {
        self.report(.error, node.position(ofTextByte: offset) ?? node.position, message)
    }

    /// Reports a warning at a byte of a scalar's text, or at the scalar if the byte has no position.
    mutating func warn(_ node: YAMLNode, atTextByte offset: Int, _ message: String) {
        self.report(.warning, node.position(ofTextByte: offset) ?? node.position, message)
    }

    /// An error at a character of the text of a scalar; the first one is 1.
    mutating func error(_ node: YAMLNode, atCharacter number: Int, _ message: String) {
        let offset = node.string.prefix(max(0, number - 1)).utf8.count
        self.error(node, atTextByte: offset, message)
    }

    private mutating func report(_ severity: Diagnostic.Severity, _ position: YAMLPosition, _ message: String) {
        self.diagnostics.append(
            Diagnostic(
                severity: severity,
                path: self.path,
                line: position.line,
                column: position.column,
                message: message
            )
        )
    }

    mutating func unknown(_ key: YAMLNode, _ known: [String], of what: String) {
        let name = key.string
        let hint =
            Spelling.nearest(to: name, among: known).map { "did you mean `\($0)`?" }
            ?? "it has: \(known.joined(separator: ", "))"
        self.error(key, "\(what) has no key `\(name)`; \(hint)")
    }

    /// `; did you mean X?`, or nothing.
    static func hint(_ word: String, among words: [String]) -> String {
        Spelling.nearest(to: word, among: words).map { "; did you mean \($0)?" } ?? ""
    }

    /// `; did you mean "X"?`, or a full stop.
    static func quotedHint(_ word: String, among words: [String]) -> String {
        Spelling.nearest(to: word, among: words).map { "; did you mean \"\($0)\"?" } ?? "."
    }

    // MARK: Shapes

    mutating func expectMapping(_ node: YAMLNode, _ what: String) -> Bool {
        if node.kind == .mapping { return true }
        let form = self.notation == .yaml ? "is written as `key: value` lines" : "is a JSON object"
        self.error(node, "\(what) \(form)")
        return false
    }

    mutating func expectSequence(_ node: YAMLNode, _ what: String) -> Bool {
        if node.kind == .sequence { return true }
        let form = self.notation == .yaml ? "is a list: begin each item with `- `" : "is a JSON array"
        self.error(node, "`\(what)` \(form)")
        return false
    }

    /// The items of a list; a text in its place is a list of one. `nil` for anything else, which is reported.
    mutating func listItems(_ node: YAMLNode, _ what: String) -> [YAMLNode]? {
        if node.kind == .scalar, !node.isNull { return [node] }
        guard self.expectSequence(node, what) else { return nil }
        return Array(node.items)
    }

    /// Reports a list or mapping in place of a text.
    mutating func refuseCollection(_ node: YAMLNode, _ what: String) {
        let form =
            self.notation == .yaml
            ? "a text; put what belongs to it behind `\(what): |`, indented" : "a text, so a JSON string"
        self.error(node, "`\(what)` is \(form)")
    }

    mutating func checkKeys(_ node: YAMLNode, _ known: [String], of what: String) {
        for (key, _) in node.pairs where !known.contains(key.string) {
            self.unknown(key, known, of: what)
        }
    }

    // MARK: Plain values

    /// Returns the text of a scalar. Numbers and words such as `true` are texts as written.
    mutating func text(_ node: YAMLNode, _ what: String, allowsEmpty: Bool = false) -> String? {
        guard node.kind == .scalar else {
            self.error(node, "`\(what)` is a text")
            return nil
        }
        let text = node.string
        guard allowsEmpty || !text.isEmpty || what == "reason" else {
            self.error(node, "`\(what)` is empty")
            return nil
        }
        return text
    }

    /// The texts of a list, which must not be empty, or one text.
    mutating func texts(_ node: YAMLNode, _ what: String, allowsEmpty: Bool = false) -> [String] {
        guard let items = self.listItems(node, what) else { return [] }
        if items.isEmpty { self.error(node, "`\(what)` is an empty list") }
        return items.compactMap { self.text($0, what, allowsEmpty: allowsEmpty) }
    }

    mutating func bool(_ node: YAMLNode, _ what: String) -> Bool? {
        if node.bool == nil { self.error(node, "`\(what)` is true or false") }
        return node.bool
    }

    /// A whole number of `range`, whose upper end is not worth mentioning.
    mutating func count(_ node: YAMLNode, _ what: String, _ range: ClosedRange<Int>) -> Int? {
        if let value = node.int, range.contains(value) { return value }
        let most = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
        self.error(node, "`\(what)` is a whole number from \(range.lowerBound)\(most)")
        return nil
    }

    /// Converts a text; returns `nil`, and reports an error, if that throws.
    ///
    /// - Parameter text: the text, if it is not that of the node.
    mutating func made<Value>(
        _ node: YAMLNode,
        _ what: String,
        from text: String? = nil,
        _ make: (String) throws -> Value
    ) -> Value? {
        guard let text = text ?? self.text(node, what) else { return nil }
        do {
            return try make(text)
        } catch {
            self.error(node, "`\(what)`: \(error)")
            return nil
        }
    }

    mutating func choice<Choice: RawRepresentable<String>>(
        _ node: YAMLNode,
        _ what: String,
        _ choices: [Choice]
    ) -> Choice? {
        let text = node.kind == .scalar ? node.string : ""
        if let choice = Choice(rawValue: text) { return choice }
        let names = choices.map(\.rawValue)
        self.error(node, "`\(what)` is one of \(names.joined(separator: ", "))\(Self.hint(text, among: names))")
        return nil
    }

    /// Keys of a session's state; a value of null is `nil`.
    mutating func state(_ node: YAMLNode, _ what: String) -> [StateEntry] {
        guard !node.isNull, self.expectMapping(node, "`\(what)`") else { return [] }
        return node.pairs.compactMap { key, value in
            guard !value.isNull else { return StateEntry(key.string, nil) }
            return self.text(value, key.string, allowsEmpty: true).map { StateEntry(key.string, $0) }
        }
    }
}
