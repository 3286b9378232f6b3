package import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckTLS
import TapedeckYAML

/// Bodies that cannot be what the cassette says of them, as `check` reports them. Reads the body files.
package enum BodyChecks {
    /// Larger bodies are not checked. 64 MiB.
    private static let limit = 64 << 20

    /// The problems in the order of the file: an error for `json` that is not JSON, a warning for a body that is not coded as
    /// its `Content-Encoding` says, and for a recorded body file with other content than its name says.
    package static func diagnostics(_ result: CassetteReader.Result, at location: CassetteLocation) -> [Diagnostic] {
        guard !result.hasErrors, let sets = result.document?.root?["responseSets"] else { return [] }
        var visitor = Visitor(location: location)
        visitor.visit(sets, isTemplate: false)
        return visitor.found
    }

    private struct Visitor {
        let location: CassetteLocation
        var found: [Diagnostic] = []

        mutating func visit(_ node: YAMLNode, isTemplate: Bool) {
            for item in node.items { self.visit(item, isTemplate: isTemplate) }
            guard node.kind == .mapping else { return }
            let isTemplate = isTemplate || node["template"]?.bool == true
            for (key, value) in node.pairs {
                if key.scalarEquals("takes") {
                    for take in value.items { self.check(take, isTemplate: isTemplate) }
                } else {
                    self.visit(value, isTemplate: isTemplate)
                }
            }
        }

        private mutating func check(_ take: YAMLNode, isTemplate: Bool) {
            for body in [take["body"], take["request"]?["body"]].compactMap({ $0 }) where body.kind == .mapping {
                if !isTemplate { self.checkJSON(body["json"]) }
                for file in [body["file"], body["encoded"]].compactMap({ $0 }) { self.checkDigest(file) }
            }
            if !isTemplate { self.checkCoding(take) }
        }

        private mutating func checkJSON(_ node: YAMLNode?) {
            guard let node, node.kind == .scalar, let error = BodyJSON.error(in: node.bytes) else { return }
            let place = node.position(ofTextByte: error.offset)
            let within = place == nil ? " (line \(error.line), column \(error.column) of it)" : ""
            self.found.append(
                Diagnostic(
                    severity: .error,
                    path: self.location.path,
                    line: (place ?? node.position).line,
                    column: (place ?? node.position).column,
                    message: "the body is no JSON: \(error.message)\(within); correct it, or write it as `text`"
                )
            )
        }

        private mutating func checkDigest(_ node: YAMLNode) {
            let name = node.string
            guard name.hasPrefix("\(self.location.bodyFolderName)/"), BodyStorage.isRecordedName(name),
                let content = self.file(name)
            else { return }
            let stem = name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
            guard stem.suffix(12) != SHA256.hexDigest(of: content).prefix(12) else { return }
            self.warn(
                node,
                "the body file \(name) was changed: its name has the digest of other content. Rename it, here too, to "
                    + "a name of your own, or record again"
            )
        }

        private mutating func checkCoding(_ take: YAMLNode) {
            guard let body = take["body"], body.kind == .mapping, body["encoding"] == nil, take["fault"] == nil,
                take["status"]?.int != 206,
                // Recorded so: the origin's own mistake.
                take["recorded"] == nil || body["base64"] == nil && body["file"] == nil,
                let node = Self.fields(take).first(where: { $0.name == "content-encoding" })?.value,
                let codings = ContentCoding.all(of: [HeaderField("Content-Encoding", node.string)]), !codings.isEmpty,
                let content = self.content(body), !content.isEmpty,
                (try? ContentCoder.decode(content, codings, limit: BodyChecks.limit)) == nil
            else { return }
            let names = codings.map(\.rawValue)
            let recipe = names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]"
            self.warn(
                node,
                "the body is not coded in \(names.joined(separator: ", ")), so clients cannot read it: add "
                    + "`encoding: \(recipe)` to the body, or remove this field"
            )
        }

        /// The header fields of a take, with names in lower case.
        private static func fields(_ take: YAMLNode) -> [(name: String, value: YAMLNode)] {
            guard let headers = take["headers"] else { return [] }
            let pairs = headers.kind == .mapping ? Array(headers.pairs) : headers.items.flatMap { Array($0.pairs) }
            return pairs.filter { $0.value.kind == .scalar }.map { (ASCII.lowercased($0.key.string), $0.value) }
        }

        private func content(_ body: YAMLNode) -> [UInt8]? {
            if let node = body["text"] ?? body["json"] { return node.kind == .scalar ? node.bytes : nil }
            if let node = body["base64"] { return node.withScalarBytes { Base64.decode($0) } }
            return body["file"].flatMap { self.file($0.string) }
        }

        private func file(_ name: String) -> [UInt8]? {
            let path = FilePath.join(self.location.folder, name)
            guard !name.split(separator: "/").contains(".."), let size = FileContents.size(path),
                size <= BodyChecks.limit
            else { return nil }
            return try? FileContents.read(path)
        }

        private mutating func warn(_ node: YAMLNode, _ message: String) {
            let position = node.position
            self.found.append(
                Diagnostic(
                    severity: .warning,
                    path: self.location.path,
                    line: position.line,
                    column: position.column,
                    message: message
                )
            )
        }
    }
}
