import TapedeckCore

/// Files that an imposters file includes by EJS, as mountebank's configuration files do.
struct MountebankIncludes {
    /// The maximum number of files that include each other.
    private static let depthLimit = 8

    let side: ImportFile.Sides

    static func reason(_ text: String) -> String {
        "it has an EJS tag, \(text.prefix(80)): save the imposters with `mb save` first"
    }

    /// Returns the node, or the content of the file that it includes: `<% include stub.json %>`.
    func resolved(_ node: ForeignNode) throws(LeftOut) -> ForeignNode {
        var result = node
        for _ in 0..<Self.depthLimit {
            guard case .scalar(let text, _) = result.content, text.contains("<%") else { return result }
            guard let name = Self.file(text) else { throw LeftOut(Self.reason(text), line: node.line) }
            guard let bytes = self.side(name) else {
                throw LeftOut("its file '\(name.prefix(200))' is not there", line: node.line)
            }
            guard let document = ImportFile(path: name, bytes: bytes).document else {
                throw LeftOut("its file '\(name.prefix(200))' is no JSON", line: node.line)
            }
            result = document
        }
        throw LeftOut("its files include each other", line: node.line)
    }

    /// The file of a tag `include`, with or without parentheses and quotes; `nil` for any other tag.
    private static func file(_ text: String) -> String? {
        let text = RequestText.trimmed(text)
        guard text.hasPrefix("<%"), text.hasSuffix("%>") else { return nil }
        let inner = RequestText.trimmed(text.dropFirst(2).dropLast(2)).drop { "-=".contains($0) }
        var words = RequestText.trimmed(inner)[...]
        guard words.hasPrefix("include") else { return nil }
        words = words.dropFirst(7).drop(while: \.isWhitespace)
        if words.hasPrefix("("), words.hasSuffix(")") { words = RequestText.trimmed(words.dropFirst().dropLast())[...] }
        if let quote = words.first, quote == "'" || quote == "\"" {
            guard words.count > 2, words.last == quote else { return nil }
            words = words.dropFirst().dropLast()
        }
        return words.isEmpty || words.contains { "'\"(){},;+".contains($0) } ? nil : String(words)
    }
}
