import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// The keys of an answer that belong to calls of gRPC.
struct CallKeys {
    var messages: (key: YAMLNode, value: YAMLNode)?
    var status: (key: YAMLNode, value: YAMLNode)?
    var message: (key: YAMLNode, value: YAMLNode)?
    var details: (key: YAMLNode, value: YAMLNode)?
    var endsAfter: (key: YAMLNode, value: YAMLNode)?
    /// `body`, which goes with no `messages`.
    var body: YAMLNode?

    /// Returns true if the key is one of these.
    mutating func take(_ key: YAMLNode, _ value: YAMLNode) -> Bool {
        switch key.string {
        case "messages": self.messages = (key, value)
        case "grpcStatus": self.status = (key, value)
        case "grpcMessage": self.message = (key, value)
        case "grpcDetails": self.details = (key, value)
        case "endsAfter": self.endsAfter = (key, value)
        default: return false
        }
        return true
    }

    /// True if the answer is one to a call.
    var isCall: Bool {
        self.messages != nil || self.status != nil || self.message != nil || self.details != nil
            || self.endsAfter != nil
    }
}

/// Calls of gRPC: their method, their messages and their status.
extension CassetteReader {
    // MARK: Method

    /// Reads `grpc`: a method, or its whole URL.
    mutating func readCall(_ node: YAMLNode, into matcher: inout RequestMatcher) {
        guard let text = self.text(node, "grpc") else { return }
        matcher.call = CallMatcher()
        if matcher.methods.isEmpty { matcher.methods = ["POST"] }
        if let url = AbsoluteURL(text), Self.isMethod(url.path.dropFirst()), url.query == nil {
            matcher.url = .exact(url.percentEncoded)
        } else if Self.isMethod(text[...]), !text.contains(":") {
            matcher.url = .exactPath("/\(text)")
        } else {
            self.error(
                node,
                "`grpc` is a method, such as helloworld.Greeter/SayHello, or its URL, such as "
                    + "https://api.example.com/helloworld.Greeter/SayHello"
            )
        }
    }

    /// Returns true for `package.Service/Method`, with or without segments in front.
    private static func isMethod(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { !$0.isEmpty }
            && !text.utf8.contains { $0 <= ASCII.space || $0 == ASCII.question || $0 == UInt8(ascii: "#") }
    }

    /// The descriptor of the method that a URL names.
    func method(of url: URLMatcher) -> MethodDescriptor? {
        guard let descriptors = self.descriptors else { return nil }
        return switch url {
        case .exact(let url): descriptors.method(atPath: url.path)
        case .exactPath(let target): descriptors.method(atPath: target)
        case .any, .template, .pattern: nil
        }
    }

    // MARK: Answers

    mutating func readCall(_ keys: CallKeys, into take: inout Take) {
        if !take.headers.contains(named: "content-type") {
            take.headers.insert(HeaderField("content-type", "application/grpc"), at: 0)
        }
        if let (key, value) = keys.messages {
            if let body = keys.body { self.error(body, "a take has `body` or `messages`, not both") }
            if MessageFraming(take.headers) == nil {
                self.error(key, "`messages` go with the `content-type` of a call, such as application/grpc")
            }
            take.body = self.readMessages(value, take.headers, isAnswer: true)
        }
        if let (_, value) = keys.endsAfter { take.endsAfter = self.messageCount(value, "endsAfter") }
        self.readStatus(keys, into: &take)
    }

    /// A status without messages stands in the head, any other in the trailer fields (gRPC over HTTP2, "Trailers-Only").
    private mutating func readStatus(_ keys: CallKeys, into take: inout Take) {
        var code: GRPCStatusCode?
        if let (_, value) = keys.status {
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
            if let (key, _) = keys.message ?? keys.details { self.error(key, "`\(key.string)` goes with `grpcStatus`") }
            return
        }
        var fields = [HeaderField("grpc-status", String(code.rawValue))]
        if let (_, value) = keys.message, let text = self.text(value, "grpcMessage", allowsEmpty: true) {
            fields.append(HeaderField("grpc-message", ByteText.string(from: GRPCStatusMessage.encode(text))))
        }
        if let (_, value) = keys.details, let field = self.readDetails(value, code, fields) { fields.append(field) }
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

    private mutating func messageCount(_ node: YAMLNode, _ what: String) -> Int? {
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
        guard self.expectMapping(node, "a message") else { return nil }
        var content: (form: StoredMessage.Form, node: YAMLNode)?
        var layers: [CodingRecipe]?
        var encoded: YAMLNode?
        var isCompressed = false
        var after: Int?
        for (key, value) in node.pairs {
            switch key.string {
            case "json", "proto", "base64", "trailers", "end":
                if content != nil { self.error(key, "a message has one of json, proto, base64, trailers and end") }
                content = StoredMessage.Form(rawValue: key.string).map { ($0, value) }
            case "encoding": layers = self.readEncoding(value)
            case "encoded": encoded = value
            case "compressed": isCompressed = self.bool(value, "compressed")
            case "after" where isAnswer: after = self.messageCount(value, "after")
            default:
                self.unknown(key, CassetteKeys.message.filter { isAnswer || $0 != "after" }, of: "a message")
            }
        }
        guard let content else {
            self.error(node, "a message has one of json, proto, base64, trailers and end")
            return nil
        }
        guard let (text, bytes) = self.readContent(content.form, content.node, codec) else { return nil }
        var message = StoredMessage(content.form, content: text, bytes: bytes, after: after)
        if let layers {
            message.compression = self.compression(of: bytes, layers, encoded, node)
        } else if let encoded {
            self.error(encoded, "`encoded` goes with `encoding`, which names the codings")
        } else if isCompressed {
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

    // MARK: Descriptors

    /// Reads `descriptors`: a file with descriptors, or a list of them.
    mutating func readDescriptors(_ node: YAMLNode) -> [DescriptorFile] {
        let nodes = node.kind == .sequence ? Array(node.items) : [node]
        return nodes.compactMap { node in
            guard let file = self.readDescriptor(node) else { return nil }
            self.add(file.descriptors, node)
            return file
        }
    }

    private mutating func readDescriptor(_ node: YAMLNode) -> DescriptorFile? {
        guard let name = self.text(node, "descriptors") else { return nil }
        switch self.readFile(node, coding: nil) {
        case .none: return nil
        case .inline(let body): return self.descriptorFile(name, path: "", body.content, node)
        case .file(let file):
            do {
                return self.descriptorFile(name, path: file.path, try file.contents(), node)
            } catch {
                self.error(node, "the descriptors cannot be read: \(error)")
                return nil
            }
        }
    }

    private mutating func descriptorFile(
        _ name: String,
        path: String,
        _ bytes: [UInt8],
        _ node: YAMLNode
    ) -> DescriptorFile? {
        do throws(DescriptorError) {
            return DescriptorFile(
                name: name,
                path: path,
                size: bytes.count,
                descriptors: try DescriptorSet(parsing: bytes)
            )
        } catch {
            self.error(node, "`descriptors`: \(error)")
            return nil
        }
    }

    private mutating func add(_ descriptors: DescriptorSet, _ node: YAMLNode) {
        do throws(DescriptorError) {
            self.descriptors = try self.descriptors?.merging(descriptors) ?? descriptors
        } catch {
            self.error(node, "these descriptors do not go with those before: \(error)")
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
