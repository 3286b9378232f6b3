import TapedeckCore
import TapedeckYAML

/// The bodies of takes.
extension CassetteReader {
    /// Literal blocks beyond this size are left in the text until they are played. In bytes.
    private static var deferredSize: Int { 256 }

    mutating func readBody(_ node: YAMLNode) -> StoredBody {
        guard self.expectMapping(node, "body") else { return .none }
        var content: (form: String, node: YAMLNode)?
        var layout: JSONLayout?
        var layers: [CodingRecipe]?
        var encoded: YAMLNode?
        var keeps: YAMLNode?
        for (key, value) in node.pairs {
            switch key.string {
            case "text", "json", "base64", "file":
                if content != nil { self.error(key, "a body has one of text, json, base64 and file") }
                content = (key.string, value)
            case "layout":
                layout = self.choice(value, "layout", JSONLayout.allCases)
            case "encoding":
                layers = self.readEncoding(value)
            case "encoded":
                encoded = value
            case "keepsEncoding":
                if self.bool(value, "keepsEncoding") { keeps = key }
            default:
                self.unknown(key, CassetteKeys.body, of: "a body")
            }
        }
        guard let content else {
            self.error(node, "a body has one of text, json, base64 and file")
            return .none
        }
        if layout != nil, content.form != "json" {
            self.error(node, "`layout` goes with `json` only")
        }
        var coding = layers.map { BodyCoding(layers: $0, isForAll: keeps != nil) }
        if let node = encoded ?? keeps, node.kind == .scalar, coding == nil {
            self.error(node, "`encoded` and `keepsEncoding` go with `encoding`, which names the codings")
        }
        if let encoded, coding != nil { coding?.kept = self.readEncoded(encoded) }
        return self.readContent(content.form, content.node, layout: layout, coding: coding)
    }

    /// The file of the coded bytes that were kept.
    private mutating func readEncoded(_ node: YAMLNode) -> KeptBytes? {
        guard node.kind == .scalar else {
            self.refuseCollection(node, "encoded")
            return nil
        }
        switch self.readFile(node, coding: nil) {
        case .none: return nil
        case .inline(let body): return .bytes(body.content)
        case .file(let file): return .file(file)
        }
    }

    private mutating func readContent(
        _ form: String,
        _ node: YAMLNode,
        layout: JSONLayout?,
        coding: BodyCoding?
    ) -> StoredBody {
        if form == "json", node.kind != .scalar, let (text, _) = self.literalJSON(node) {
            return .inline(InlineBody(form: .json, content: text, layout: layout, coding: coding))
        }
        guard node.kind == .scalar else {
            self.refuseCollection(node, form)
            return .none
        }
        switch form {
        case "file":
            return self.readFile(node, coding: coding)
        case "base64":
            guard let bytes = self.readBase64(node) else { return .none }
            return .inline(InlineBody(form: .base64, content: bytes, coding: coding))
        default:
            let form: InlineBody.Form = form == "json" ? .json : .text
            if node.style == .literal, node.range.count > Self.deferredSize {
                let content = node.deferredBytes
                return .inline(InlineBody(form: form, layout: layout, coding: coding, content: content))
            }
            let body = InlineBody(form: form, content: node.bytes, layout: layout, coding: coding)
            return body.content.isEmpty ? .none : .inline(body)
        }
    }

    mutating func readBase64(_ node: YAMLNode) -> [UInt8]? {
        let bytes = node.kind == .scalar ? node.withScalarBytes { Base64.decode($0) } : nil
        if bytes == nil { self.error(node, "this is no base64") }
        return bytes
    }

    mutating func readFile(_ node: YAMLNode, coding: BodyCoding?) -> StoredBody {
        guard self.notation == .yaml || self.files != nil else {
            self.error(node, "there are no body files here: give the body itself as `text`, `json` or `base64`")
            return .none
        }
        let name = node.string
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.hasPrefix("/"), !parts.contains("..") else {
            self.error(node, "`file` names a file beside the cassette or in a folder beside it, without ..")
            return .none
        }
        if let files = self.files { return self.readFile(node, name, of: files, coding: coding) }
        let path = FilePath.join(FilePath.folder(of: self.path), name)
        guard self.needsBodyFiles else { return .file(BodyFile(name: name, path: path, size: 0, coding: coding)) }
        guard let size = FileContents.size(self.originals[path] ?? path) else {
            let isThere = FileContents.exists(path)
            self.error(
                node,
                isThere
                    ? BodyFileReader.Problem.noFile(path).description
                    : "the body file \(name) is missing; put it back at \(path), or record again"
            )
            return .none
        }
        let file = BodyFile(name: name, path: path, size: size, coding: coding)
        // An archive has its own word for it, so the cassette names the file all the same.
        if file.isLinkOut { self.error(node, BodyFileReader.Problem.linkOut(path).description) }
        return .file(file)
    }

    /// A body file that was sent with a session is in memory already, so it is played like a body in the cassette.
    private mutating func readFile(
        _ node: YAMLNode,
        _ name: String,
        of files: SessionFiles,
        coding: BodyCoding?
    ) -> StoredBody {
        let parts = self.path.split(separator: "/").dropLast() + name.split(separator: "/").filter { $0 != "." }
        guard let bytes = files[parts.joined(separator: "/")] else {
            let remedy = self.notation == .yaml ? "send it along with the cassette" : "send it to the session first"
            self.error(node, "the body file \(name) is missing; \(remedy)")
            return .none
        }
        let form: InlineBody.Form = String(validating: bytes, as: UTF8.self) == nil ? .base64 : .text
        return .inline(InlineBody(form: form, content: bytes, coding: coding))
    }
}
