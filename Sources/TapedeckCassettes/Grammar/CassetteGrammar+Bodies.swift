import TapedeckCore
import TapedeckYAML

/// A body as a cassette has it.
struct BodyEntry: Sendable {
    var body: StoredBody
    /// While reading: the key that has the content, and those that refine it.
    var content: Entry?
    var layout: JSONLayout?
    var layers: [CodingRecipe]?
    var encoded: YAMLNode?
    /// Its key, if it is true.
    var keepsEncoding: YAMLNode?

    init(_ body: StoredBody) {
        self.body = body
        guard case .inline(let body) = body else { return }
        self.layout = body.layout
    }

    fileprivate func inline(_ form: InlineBody.Form) -> [UInt8]? {
        guard case .inline(let body) = self.body, body.form == form else { return nil }
        return body.content
    }
}

extension CassetteGrammar {
    private static let contents = ["text", "json", "base64", "file"]

    static let body = Mapping<BodyEntry>(
        "body",
        "a body",
        rules: [
            .one(contents), .with("layout", ["json"]), .with("encoded", ["encoding"]),
            .with("keepsEncoding", ["encoding"]),
        ]
    ) {
        Self.content("text", .text) { writer, owner in
            guard let content = owner.inline(.text) else { return }
            writer.key("text")
            writer.text(content)
        }
        .means("UTF-8; `text: |` ends with a line feed, `text: |-` does not")
        Self.content("json", .json) { writer, owner in
            guard let content = owner.inline(.json) else { return }
            writer.key("json")
            writer.text(content)
        }
        .means("JSON as text, not as a YAML mapping; `check` and edits refuse anything else, except in a template")
        Self.content("base64", .text) { writer, owner in
            guard let content = owner.inline(.base64) ?? owner.inline(.messages) else { return }
            writer.pair("base64") { $0.yaml.scalar(Base64.encode(content)) }
        }
        .means("bytes")
        Self.content("file", .text) { writer, owner in
            if case .file(let file) = owner.body { writer.pair("file") { $0.yaml.scalar(file.name) } }
        }
        .means("a path relative to the cassette, without `..`")
        Key("layout", \.layout, .word)
            .means(
                "white space of `json` on the wire: `compact`, `compact-line` (with a final line feed), `spaced` (after `,` and "
                    + "`:`), `spaced-line`; default as written"
            )
        Key("encoding", .encoding) { reader, entry, owner in
            owner.layers = reader.readEncoding(entry.value)
        } write: { writer, owner in
            guard let coding = owner.body.coding else { return }
            writer.key("encoding")
            writer.write(coding.layers)
        }
        .means(
            "codes the body for clients that accept it: `gzip`, `deflate`, `br`, `zstd`, a mapping or a list, see "
                + "[below](#content-codings)"
        )
        Key("encoded", .text) { _, entry, owner in
            owner.encoded = entry.value
        } write: { writer, owner in
            guard case .file(let file) = owner.body.coding?.kept else { return }
            writer.pair("encoded") { $0.yaml.scalar(file.name) }
        }
        .means("with `encoding`, a file with the coded bytes")
        Key("keepsEncoding", .bool) { reader, entry, owner in
            if reader.bool(entry.value, "keepsEncoding") == true { owner.keepsEncoding = entry.key }
        } write: { writer, owner in
            if owner.body.coding?.isForAll == true { writer.pair("keepsEncoding") { $0.yaml.raw("true") } }
        }
        .means("with `encoding`, `true` sends coded bytes to every client")
    }

    /// A key that has the content, which depends on those beside it.
    private static func content(
        _ name: StaticString,
        _ shape: Shape,
        write: @escaping Key<BodyEntry>.Write
    ) -> Key<BodyEntry> {
        Key(
            name,
            shape,
            read: { reader, entry, owner in
                if owner.content != nil { reader.error(entry.key, "a body has one of text, json, base64 and file") }
                owner.content = entry
            },
            write: write
        )
    }
}

extension CassetteWriter {
    mutating func write(_ body: StoredBody) {
        switch body {
        case .none: return
        // Those of a call have a key of their own.
        case .inline(let body) where body.messages != nil: return
        case .inline, .file:
            self.key("body")
            self.block { $0.write(BodyEntry(body), by: CassetteGrammar.body) }
        }
    }

    mutating func write(_ body: InlineBody) {
        self.write(BodyEntry(.inline(body)), by: CassetteGrammar.body)
    }
}

/// The bodies of takes.
extension CassetteReader {
    /// Literal blocks beyond this size are left in the text until they are played. In bytes.
    private static var deferredSize: Int { 256 }

    mutating func readBody(_ node: YAMLNode) -> StoredBody {
        var entry = BodyEntry(.none)
        guard self.read(node, by: CassetteGrammar.body, into: &entry) else { return .none }
        guard let content = entry.content else {
            self.error(node, "a body has one of text, json, base64 and file")
            return .none
        }
        let form = content.key.string
        if entry.layout != nil, form != "json" {
            self.error(node, "`layout` goes with `json` only")
        }
        var coding = entry.layers.map { BodyCoding(layers: $0, isForAll: entry.keepsEncoding != nil) }
        if let place = entry.encoded ?? entry.keepsEncoding, place.kind == .scalar, coding == nil {
            self.error(place, "`encoded` and `keepsEncoding` go with `encoding`, which names the codings")
        }
        if let encoded = entry.encoded, coding != nil { coding?.kept = self.readEncoded(encoded) }
        return self.readContent(form, content.value, layout: entry.layout, coding: coding)
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
                    : "the body file \(name) is missing: put it back beside the cassette, or record again"
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
