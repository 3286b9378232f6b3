package import TapedeckProtobuf

/// How the body of a call frames its messages, by its content type.
package typealias MessageFraming = RPCContentType.Framing

extension MessageFraming {
    /// The framing of a content type; `nil` for one that is no call's.
    package init?(contentType: String) {
        guard let type = RPCContentType(contentType) else { return nil }
        self = type.framing
    }

    /// The framing of a body with these header fields; `nil` for one that is no call's.
    package init?(_ fields: [HeaderField]) {
        guard let type = fields.first(named: "content-type") else { return nil }
        self.init(contentType: type)
    }

    /// True if each message has a frame of its own, so that a part of the body may be whole messages.
    package var isStream: Bool {
        switch self {
        case .grpc, .grpcWeb, .connectStream: true
        case .grpcWebText, .connectUnary: false
        }
    }

    /// The content type of an answer that is a status alone.
    package var mediaType: String {
        switch self {
        case .grpc: "application/grpc"
        case .grpcWeb: "application/grpc-web"
        case .grpcWebText: "application/grpc-web-text"
        case .connectStream: "application/connect+proto"
        case .connectUnary: "application/json"
        }
    }

    /// The header fields that say how messages are compressed, in lower case.
    package static let codingFields: Set<String> = ["grpc-encoding", "connect-content-encoding"]

    /// The coding of compressed messages; `nil` for none, or one that Tapedeck does not know.
    package func coding(_ fields: [HeaderField]) -> ContentCoding? {
        let field = fields.first { Self.codingFields.contains(ASCII.lowercased($0.name)) }
        return field.flatMap { ContentCoding(rawValue: ASCII.lowercased($0.value)) }
    }

    /// Returns the messages of a body; `nil` if it ends inside one, or has something else between them.
    package func messages(of body: [UInt8]) -> [GRPCMessage]? {
        switch self {
        case .grpc: return Self.split(body, flags: [0, 1])
        case .grpcWeb: return Self.split(body, flags: [0, 1, 0x80])
        case .grpcWebText: return GRPCWebTextReader.bytes(of: body).flatMap { Self.split($0, flags: [0, 1, 0x80]) }
        case .connectStream: return Self.split(body, flags: [0, 1, 2])
        case .connectUnary: return [GRPCMessage(bytes: body)]
        }
    }

    private static func split(_ body: [UInt8], flags: Set<UInt8>) -> [GRPCMessage]? {
        guard let (messages, rest) = try? GRPCMessageReader.split(body), rest.isEmpty,
            messages.allSatisfy({ flags.contains($0.flags) })
        else { return nil }
        return messages
    }

    /// Returns the body that has these messages.
    package func joined(_ messages: [GRPCMessage]) -> [UInt8] {
        switch self {
        case .grpc, .grpcWeb, .connectStream: messages.flatMap(\.frame)
        case .grpcWebText: Base64.encode(messages.flatMap(\.frame))
        case .connectUnary: messages.first?.bytes ?? []
        }
    }
}

/// The encoding of the messages of a call, by its content type.
package enum MessageCodec: Sendable {
    /// Protobuf, of a type that a descriptor says.
    case protobuf(MessageType?)
    case json
    /// Any other, such as that of FlatBuffers: the messages are bytes.
    case other

    /// - Parameter type: the type of the messages, where a descriptor says it.
    package init(contentType: String, type: MessageType?) {
        switch RPCContentType(contentType)?.codec {
        case "json": self = .json
        case "proto": self = .protobuf(type)
        default: self = .other
        }
    }

    /// - Parameter fields: the header fields of the body.
    package init(_ fields: [HeaderField], type: MessageType?) {
        self.init(contentType: fields.first(named: "content-type") ?? "application/grpc", type: type)
    }

    /// The type of the messages, where a descriptor says it.
    package var type: MessageType? {
        if case .protobuf(let type) = self { type } else { nil }
    }
}

/// Counts the messages of a body as it comes.
package struct MessageCounter: Sendable {
    /// The number of messages that have come whole.
    package private(set) var count = 0
    /// The number of messages of which a part has come.
    package private(set) var begun = 0
    /// The bytes of the prefix of the current message that have come.
    private var prefix = 0
    private var length = 0
    /// The missing bytes of the current message.
    private var rest = 0

    package init() {}

    /// Takes the next bytes of the body. Returns where messages end in them, counted from the first byte of all.
    @discardableResult
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        var ends: [Int] = []
        var index = 0
        while index < bytes.count {
            if self.rest > 0 {
                let part = min(self.rest, bytes.count - index)
                self.rest -= part
                index += part
                if self.rest == 0 { self.end(&ends, index) }
                continue
            }
            if self.prefix == 0 {
                self.begun += 1
            } else {
                self.length = self.length << 8 | Int(bytes[index])
            }
            self.prefix += 1
            index += 1
            guard self.prefix == 5 else { continue }
            self.rest = self.length
            self.prefix = 0
            self.length = 0
            if self.rest == 0 { self.end(&ends, index) }
        }
        self.offset += bytes.count
        return ends
    }

    private var offset = 0

    private mutating func end(_ ends: inout [Int], _ index: Int) {
        self.count += 1
        ends.append(self.offset + index)
    }
}
