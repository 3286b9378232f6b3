import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// A message of a call as a cassette has it.
struct MessageEntry: Sendable {
    var message: StoredMessage?
    /// While reading.
    var content: Entry?
    var layers: [CodingRecipe]?
    var encoded: YAMLNode?
    var isCompressed = false
    var after: Int?

    init(_ message: StoredMessage? = nil) {
        self.message = message
        self.after = message?.after
        self.isCompressed = message?.compression != nil && message?.compression?.coding == nil
    }
}

extension CassetteGrammar {
    private static let forms = ["json", "proto", "base64", "trailers", "end"]

    /// A message of an answer.
    static let message = Mapping<MessageEntry>(
        "message",
        "a message",
        rules: [.one(forms), .with("encoded", ["encoding"])]
    ) {
        Self.messageKeys
        Key("after", \.after, .messageCount)
            .means("the number of messages of the request that it follows")
    }

    /// A message of a request, which has no place among others.
    fileprivate static let sentMessage = Mapping<MessageEntry>("sentMessage", "a message", rules: [.one(forms)]) {
        Self.messageKeys
    }

    @KeyList<MessageEntry> private static var messageKeys: [Key<MessageEntry>] {
        Self.content("json", .json, .json)
            .means("the message in JSON, where a descriptor says its type")
        Self.content("proto", .proto, .text)
            .means("its fields by number")
        Self.content("base64", .base64, .text)
            .means("bytes")
        Self.content("trailers", .trailers, .text)
            .means("the trailer fields of gRPC-Web")
        Self.content("end", .end, .text)
            .means("the end of a stream of Connect")
        Key("encoding", .encoding) { reader, entry, owner in
            owner.layers = reader.readEncoding(entry.value)
        } write: { writer, owner in
            guard let coding = owner.message?.compression?.coding else { return }
            writer.key("encoding")
            writer.write(coding.layers)
        }
        .means("the coding of its compression")
        Key("encoded", .text) { _, entry, owner in
            owner.encoded = entry.value
        } write: { writer, owner in
            guard case .bytes(let bytes) = owner.message?.compression?.coding?.kept else { return }
            writer.pair("encoded") { $0.yaml.scalar(Base64.encode(bytes)) }
        }
        .means("with `encoding`, the compressed bytes in base64")
        Key("compressed", \.isCompressed, .bool, usually: false)
            .means("`true`: it says that it is compressed")
    }

    private static func content(
        _ name: StaticString,
        _ form: StoredMessage.Form,
        _ shape: Shape
    ) -> Key<MessageEntry> {
        Key(name, shape) { reader, entry, owner in
            if owner.content != nil {
                reader.error(entry.key, "a message has one of json, proto, base64, trailers and end")
            }
            owner.content = entry
        } write: { writer, owner in
            guard let message = owner.message, message.form == form else { return }
            writer.key(name)
            if form == .base64 {
                writer.inline { $0.yaml.scalar(Base64.encode(message.content)) }
            } else {
                writer.text(message.content)
            }
        }
    }
}

extension Codec where Value == Int {
    fileprivate static var messageCount: Self {
        Codec(.integer(0...Int.max), read: { $0.messageCount($1, $2) }, inline: { $0.yaml.int($1) })
    }
}

extension CassetteWriter {
    mutating func write(_ list: MessageList) {
        self.key("messages")
        self.items(list.messages) { $0.write(MessageEntry($1), by: CassetteGrammar.message) }
    }
}

/// The keys of an answer that belong to calls of gRPC.
private struct CallKeys {
    let messages: Entry?
    let status: Entry?
    let message: Entry?
    let details: Entry?
    let endsAfter: Entry?
    /// `body`, which goes with no `messages`.
    let body: Entry?

    init(_ node: YAMLNode) {
        func entry(_ name: StaticString) -> Entry? {
            node.pairs.first { $0.key.scalarEquals(name) }.map { Entry(key: $0.key, value: $0.value) }
        }
        self.messages = entry("messages")
        self.status = entry("grpcStatus")
        self.message = entry("grpcMessage")
        self.details = entry("grpcDetails")
        self.endsAfter = entry("endsAfter")
        self.body = entry("body")
    }
}

/// Calls of gRPC: their messages and their status.
extension CassetteReader {
    // MARK: Answers

    mutating func readCall(_ node: YAMLNode, into take: inout Take) {
        let keys = CallKeys(node)
        if !take.headers.contains(named: "content-type") {
            take.headers.insert(HeaderField("content-type", "application/grpc"), at: 0)
        }
        if let messages = keys.messages {
            if let body = keys.body { self.error(body.key, "a take has `body` or `messages`, not both") }
            if MessageFraming(take.headers) == nil {
                self.error(messages.key, "`messages` go with the `content-type` of a call, such as application/grpc")
            }
            take.body = self.readMessages(messages.value, take.headers, isAnswer: true)
        }
        if let endsAfter = keys.endsAfter { take.endsAfter = self.messageCount(endsAfter.value, "endsAfter") }
        self.readStatus(keys, into: &take)
    }

    /// A status without messages stands in the head, any other in the trailer fields (gRPC over HTTP2, "Trailers-Only").
    private mutating func readStatus(_ keys: CallKeys, into take: inout Take) {
        var code: GRPCStatusCode?
        if let value = keys.status?.value {
            code = GRPCStatusCode(value.kind == .scalar ? value.string : "")
            if code == nil {
                let hint = Self.hint(value.string, among: GRPCStatusCode.names)
                self.error(value, "`grpcStatus` is a status of gRPC, such as OK or UNAVAILABLE, or its number\(hint)")
            }
        } else if take.recorded == nil, take.fault == nil || take.fault == .goAway,
            !take.trailers.contains(named: "grpc-status")
        {
            code = .ok
        }
        guard let code else {
            if let key = (keys.message ?? keys.details)?.key {
                self.error(key, "`\(key.string)` goes with `grpcStatus`")
            }
            return
        }
        var fields = [HeaderField("grpc-status", String(code.rawValue))]
        if let value = keys.message?.value, let text = self.text(value, "grpcMessage", allowsEmpty: true) {
            fields.append(HeaderField("grpc-message", ByteText.string(from: GRPCStatusMessage.encode(text))))
        }
        if let value = keys.details?.value, let field = self.readDetails(value, code, fields) { fields.append(field) }
        if let framing = MessageFraming(take.headers), framing != .grpc {
            self.addEnd(fields, framing, to: &take)
        } else if keys.messages == nil, keys.body == nil, take.trailers.isEmpty {
            let type = take.headers.firstIndex { $0.isNamed("content-type") } ?? 0
            take.headers.insert(contentsOf: fields, at: type + 1)
        } else {
            take.trailers = fields + take.trailers
        }
    }

    /// The details of a status, which are in a field of their own together with code and message.
    private mutating func readDetails(
        _ node: YAMLNode,
        _ code: GRPCStatusCode,
        _ fields: [HeaderField]
    ) -> HeaderField? {
        guard let (_, json) = self.readJSON(node, "grpcDetails") else { return nil }
        let text = fields.first(named: "grpc-message").map { GRPCStatusMessage.decode(ByteText.bytes(of: $0)) }
        do throws(ProtobufJSONError) {
            return try StatusDetails.field(code, text ?? "", json)
        } catch {
            self.error(
                node,
                "`grpcDetails` is a list of messages such as those of google.rpc, each with `@type`: \(error)"
            )
            return nil
        }
    }

    /// A browser sees no trailer fields, so that the status stands in the body.
    private func addEnd(_ fields: [HeaderField], _ framing: MessageFraming, to take: inout Take) {
        let form: StoredMessage.Form
        let content: [UInt8]
        switch framing {
        case .grpc, .connectUnary: return
        case .grpcWeb, .grpcWebText:
            form = .trailers
            content = ByteText.bytes(of: fields.map { "\($0.name):\($0.value)\n" }.joined())
        case .connectStream:
            form = .end
            content = Self.connectEnd(fields)
        }
        let bytes = (try? StoredMessage.bytes(of: content, form, .other)) ?? content
        let end = StoredMessage(form, content: content, bytes: bytes)
        var list = MessageList([], framing: framing, codec: MessageCodec(take.headers, type: self.method?.output))
        if case .inline(let body) = take.body, let messages = body.messages { list = messages }
        guard !list.messages.contains(where: { $0.form == form }) else { return }
        list.messages.append(end)
        take.body = .inline(InlineBody(list))
    }

    private static func connectEnd(_ fields: [HeaderField]) -> [UInt8] {
        guard let status = fields.first(named: "grpc-status").flatMap({ GRPCStatusCode($0) }), status != .ok else {
            return Array("{}".utf8)
        }
        var error = [("code", JSONText.string(status.connectName))]
        if let message = fields.first(named: "grpc-message") {
            error.append(("message", .string(GRPCStatusMessage.decode(ByteText.bytes(of: message)))))
        }
        return Array(JSONText.object([("error", .object(error))]).compact.utf8)
    }

    fileprivate mutating func messageCount(_ node: YAMLNode, _ what: String) -> Int? {
        if let count = node.int, count >= 0 { return count }
        self.error(node, "`\(what)` is a number of messages")
        return nil
    }

    // MARK: Messages

    /// - Parameter isAnswer: true for the messages of an answer, which have a place among those of the request.
    mutating func readMessages(_ node: YAMLNode, _ fields: [HeaderField], isAnswer: Bool) -> StoredBody {
        guard self.expectSequence(node, "messages") else { return .none }
        let framing = MessageFraming(fields) ?? .grpc
        let codec = MessageCodec(fields, type: isAnswer ? self.method?.output : self.method?.input)
        let messages = node.items.compactMap { self.readMessage($0, codec, isAnswer: isAnswer) }
        return messages.isEmpty ? .none : .inline(InlineBody(MessageList(messages, framing: framing, codec: codec)))
    }

    private mutating func readMessage(_ node: YAMLNode, _ codec: MessageCodec, isAnswer: Bool) -> StoredMessage? {
        var entry = MessageEntry()
        let mapping = isAnswer ? CassetteGrammar.message : CassetteGrammar.sentMessage
        guard self.read(node, by: mapping, into: &entry) else { return nil }
        guard let content = entry.content, let form = StoredMessage.Form(rawValue: content.key.string) else {
            self.error(node, "a message has one of json, proto, base64, trailers and end")
            return nil
        }
        guard let (text, bytes) = self.readContent(form, content.value, codec) else { return nil }
        var message = StoredMessage(form, content: text, bytes: bytes, after: entry.after)
        if let layers = entry.layers {
            message.compression = self.compression(of: bytes, layers, entry.encoded, node)
        } else if let encoded = entry.encoded {
            self.error(encoded, "`encoded` goes with `encoding`, which names the codings")
        } else if entry.isCompressed {
            message.compression = StoredMessage.Compression(nil, payload: bytes)
        }
        return message
    }

    /// The text of a message as it is written, and its bytes.
    private mutating func readContent(
        _ form: StoredMessage.Form,
        _ node: YAMLNode,
        _ codec: MessageCodec
    ) -> (text: [UInt8], bytes: [UInt8])? {
        let text: [UInt8]
        if form == .json, node.kind != .scalar, let (json, _) = self.literalJSON(node) {
            text = json
        } else if form == .base64 {
            return self.readBase64(node).map { ($0, $0) }
        } else if node.kind == .scalar {
            text = node.bytes
        } else {
            self.refuseCollection(node, form.rawValue)
            return nil
        }
        // A template is a message only when it has been filled in.
        do throws(StoredMessage.Invalid) {
            return (text, try StoredMessage.bytes(of: text, form, codec))
        } catch {
            guard self.mayBeTemplate, text.contains(ASCII.openBrace) else {
                self.error(node, "`\(form.rawValue)`: \(error)")
                return nil
            }
            return (text, [])
        }
    }

    private mutating func compression(
        of bytes: [UInt8],
        _ layers: [CodingRecipe],
        _ encoded: YAMLNode?,
        _ node: YAMLNode
    ) -> StoredMessage.Compression? {
        var coding = BodyCoding(layers: layers)
        if let encoded { coding.kept = self.readBase64(encoded).map { .bytes($0) } }
        do {
            return StoredMessage.Compression(coding, payload: try coding.coded(bytes))
        } catch {
            self.error(node, "this message cannot be compressed: \(error)")
            return nil
        }
    }
}

extension BodyCoding {
    /// Returns bytes with the codings on: those that were kept, if they decode to these.
    package func coded(_ bytes: [UInt8]) throws -> [UInt8] {
        if let kept = self.kept, let coded = try kept.bytes(of: bytes, self.codings) { return coded }
        return try ContentCoder.encode(bytes, self.layers)
    }
}

/// The status of a call, as far as it is written with keys of its own.
struct CallStatus: Sendable {
    var code: GRPCStatusCode
    var message: String?
    /// As a list of messages in JSON.
    var details: JSONValue?
    /// The header fields without those of the status.
    var headers: [HeaderField]
    /// The trailer fields without those of the status.
    var trailers: [HeaderField]

    /// `nil` if there is no status, or none that the keys give back as it was.
    init?(_ take: Take) {
        guard MessageFraming(take.headers) == .grpc else { return nil }
        let isHead = take.body == .none && take.trailers.isEmpty
        let fields = isHead ? take.headers : take.trailers
        guard let first = fields.firstIndex(where: { $0.name == "grpc-status" }),
            let code = GRPCStatusCode(fields[first].value), String(code.rawValue) == fields[first].value
        else { return nil }
        self.code = code
        var end = first + 1
        if end < fields.count, fields[end].name == "grpc-message",
            let text = GRPCStatusMessage.exactText(of: ByteText.bytes(of: fields[end].value))
        {
            self.message = text
            end += 1
        }
        if end < fields.count, let details = StatusDetails.details(of: fields[end], code, self.message ?? "") {
            self.details = details
            end += 1
        }
        // The reader puts the status behind the content type, or before the trailer fields.
        guard isHead ? first > 0 && fields[first - 1].isNamed("content-type") : first == 0 else { return nil }
        let rest = Array(fields[..<first] + fields[end...])
        guard !rest.contains(where: { $0.isNamed("grpc-status") || $0.isNamed("grpc-message") }) else { return nil }
        self.headers = isHead ? rest : take.headers
        self.trailers = isHead ? [] : rest
    }
}

extension StoredMessage {
    /// The message as JSON, or as a text of the cassette.
    var readable: JSONValue {
        switch self.form {
        case .json, .end: (try? JSONValue(parsing: self.content)) ?? .string(ByteText.string(from: self.content))
        case .proto, .trailers: .string(ByteText.string(from: self.content))
        case .base64: .string(String(decoding: Base64.encode(self.content), as: UTF8.self))
        }
    }
}
