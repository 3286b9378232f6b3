import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// Calls of gRPC.
extension CassetteWriter {
    /// The method of a call, or its URL.
    mutating func writeCall(_ matcher: RequestMatcher, indent: Int) {
        switch matcher.url {
        case .exact(let url): self.pair("grpc", url.description, indent: indent)
        case .exactPath(let target): self.pair("grpc", String(target.dropFirst()), indent: indent)
        case .any, .template, .pattern: break
        }
    }

    // MARK: Messages

    mutating func write(_ list: MessageList, indent: Int) {
        self.key("messages", indent: indent)
        for message in list.messages { self.write(message, indent: indent + 2) }
    }

    private mutating func write(_ message: StoredMessage, indent: Int) {
        let inner = indent + 2
        self.item(indent: indent) { writer in
            switch message.form {
            case .json: writer.text("json", message.content, indent: inner)
            case .proto: writer.text("proto", message.content, indent: inner)
            case .base64: writer.line("base64", indent: inner) { $0.yaml.scalar(Base64.encode(message.content)) }
            case .trailers: writer.text("trailers", message.content, indent: inner)
            case .end: writer.text("end", message.content, indent: inner)
            }
        }
        if let coding = message.compression?.coding {
            self.write(coding, indent: inner)
            if case .bytes(let bytes) = coding.kept {
                self.line("encoded", indent: inner) { $0.yaml.scalar(Base64.encode(bytes)) }
            }
        } else if message.compression != nil {
            self.yaml.indent(inner)
            self.yaml.raw("compressed: true\n")
        }
        if let after = message.after { self.line("after", indent: inner) { $0.yaml.int(after) } }
    }

    /// The conditions on the messages of a request.
    mutating func write(_ matcher: MessagesMatcher, indent: Int) {
        guard !matcher.items.isEmpty || matcher.isOpen else {
            self.line("messages", indent: indent) { $0.yaml.raw("[]") }
            return
        }
        self.key("messages", indent: indent)
        for conditions in matcher.items {
            guard !conditions.isEmpty else {
                self.yaml.indent(indent + 2)
                self.yaml.raw("- {}\n")
                continue
            }
            self.item(indent: indent + 2) { $0.write(conditions, indent: indent + 4) }
        }
        if matcher.isOpen {
            self.yaml.indent(indent + 2)
            self.yaml.raw("- more: true\n")
        }
    }

    mutating func write(_ condition: ProtobufCondition, indent: Int) {
        self.text("proto", condition.text, indent: indent)
        guard !condition.ignoredPaths.isEmpty else { return }
        self.line("ignore", indent: indent) { $0.flowList(condition.ignoredPaths.map(\.description)) }
    }

    // MARK: Status

    /// Writes the status of a call.
    mutating func write(_ status: CallStatus, of take: Take, indent: Int) {
        // Without messages the status would stand in the head.
        if take.body == .none, status.headers == take.headers {
            self.yaml.indent(indent)
            self.yaml.raw("messages: []\n")
        }
        self.pair("grpcStatus", status.code.description, indent: indent)
        if let message = status.message { self.pair("grpcMessage", message, indent: indent) }
        if let details = status.details { self.line("grpcDetails", details, indent: indent) }
    }
}

/// The status of a call, as far as it is written with keys of its own.
struct CallStatus {
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
