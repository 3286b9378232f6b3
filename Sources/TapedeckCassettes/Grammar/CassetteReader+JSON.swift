import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// A JSON text, checked.
    mutating func readJSON(_ node: YAMLNode, _ what: String) -> (text: [UInt8], value: JSONValue)? {
        if node.kind != .scalar, let (text, value) = self.literalJSON(node) { return (text, value) }
        guard node.kind == .scalar else {
            self.refuseCollection(node, what)
            return nil
        }
        let text = node.bytes
        do throws(JSONError) {
            return (text, try JSONValue(parsing: text))
        } catch {
            // The diagnostic names the place in the file, unless the text is escaped there.
            let place = node.position(ofTextByte: 0) == nil ? " (line \(error.line), column \(error.column) of it)" : ""
            self.error(node, atTextByte: error.offset, "`\(what)` is no JSON: \(error.message)\(place)")
            return nil
        }
    }

    /// The JSON of a list or mapping, where what is read is JSON itself.
    func literalJSON(_ node: YAMLNode) -> (text: [UInt8], value: JSONValue)? {
        guard self.notation == .json else { return nil }
        let source = Array(node.document.source[node.range])
        return (try? JSONValue(parsing: source)).map { ($0.compactText, $0) }
    }

    /// A JSON text that a request is compared with, which may hold placeholders.
    mutating func readExpectedJSON(_ node: YAMLNode, _ what: String) -> [UInt8]? {
        guard let (text, value) = self.readJSON(node, what) else { return nil }
        for name in JSONExpectation.unknownPlaceholders(in: value) {
            let known = JSONExpectation.placeholders
            let hint = Self.hint(name, among: known)
            let offset = text.firstRange(of: Array(name.utf8))?.lowerBound ?? 0
            self.error(
                node,
                atTextByte: offset,
                "there is no placeholder \(name)\(hint.isEmpty ? "." : hint) "
                    + "It is one of: \(known.joined(separator: ", "))"
            )
        }
        return text
    }

    mutating func xmlPath(_ node: YAMLNode, _ what: String) -> XMLPath? {
        guard let text = self.text(node, what) else { return nil }
        do throws(PatternError) {
            return try XMLPath(text)
        } catch {
            self.error(node, "this is no path in XML, such as //Order/@id: \(error.message)")
            return nil
        }
    }

    mutating func path(_ node: YAMLNode, _ what: String) -> JSONPath? {
        guard let text = self.text(node, what) else { return nil }
        do throws(JSONPathError) {
            return try JSONPath(text)
        } catch {
            self.error(
                node,
                atCharacter: error.offset + 1,
                "this is no JSONPath, such as $.items[0].name: \(error.message)"
            )
            return nil
        }
    }
}
