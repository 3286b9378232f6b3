import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf

/// The messages of calls.
extension BodyStorage {
    /// Bodies up to this size are written as messages. 1 MiB.
    private static let messagesLimit = 1 << 20

    /// The messages of a body; `nil` for a body that is kept as it is: of no call, cut off, or too large.
    func messages(_ body: [UInt8], _ headers: [HeaderField], _ type: MessageType?) -> MessageList? {
        guard body.count <= Self.messagesLimit, let framing = MessageFraming(headers),
            let framed = framing.messages(of: body), !framed.isEmpty, framing.joined(framed) == body
        else { return nil }
        let codec = MessageCodec(headers, type: type)
        let coding = framing.coding(headers)
        var messages: [StoredMessage] = []
        for message in framed {
            guard let stored = self.message(message, codec, coding) else { return nil }
            guard stored.content.count <= Self.inlineLimit else { return nil }
            messages.append(stored)
        }
        return MessageList(messages, framing: framing, codec: codec)
    }

    private func message(_ message: GRPCMessage, _ codec: MessageCodec, _ coding: ContentCoding?) -> StoredMessage? {
        if message.flags > 1 { return StoredMessage(end: message) }
        guard message.isCompressed else { return StoredMessage(message.bytes, codec, limit: Self.inlineLimit) }
        // It is unreadable without its coding.
        guard let coding, let bytes = try? ContentCoder.decode(message.bytes, coding, limit: Self.decodedLimit),
            let (layers, isExact) = try? self.recipes.recipes(for: message.bytes, [coding], limit: Self.decodedLimit)
        else {
            let compression = StoredMessage.Compression(nil, payload: message.bytes)
            return StoredMessage(message.bytes, .other, limit: 0, compression: compression)
        }
        let kept = isExact ? nil : KeptBytes.bytes(message.bytes)
        let compression = StoredMessage.Compression(BodyCoding(layers: layers, kept: kept), payload: message.bytes)
        return StoredMessage(bytes, codec, limit: Self.inlineLimit, compression: compression)
    }
}

extension RecordedExchange {
    /// True for a call of gRPC to a method.
    func isCall(_ url: AbsoluteURL) -> Bool {
        self.method == "POST" && url.query == nil && url.path.split(separator: "/").count >= 2
            && MessageFraming(self.requestHeaders) != nil
    }
}

extension MessageList {
    /// The condition that just these messages meet.
    var condition: MessagesMatcher {
        MessagesMatcher(self.messages.map { [$0.condition] }, type: self.codec.type)
    }
}

extension StoredMessage {
    fileprivate var condition: BodyMatcher {
        switch self.form {
        case .json where self.isPlainJSON: return .json(InlineBody(form: .json, content: self.content))
        case .proto:
            guard let message = ProtobufMessage(parsing: self.bytes) else { break }
            return .proto(ProtobufCondition(text: self.content, message: message))
        case .json, .base64, .trailers, .end: break
        }
        return .bytes(InlineBody(form: .base64, content: self.bytes))
    }

    /// True for JSON without special meaning: a text such as `{{any.uuid}}` would be read as a placeholder.
    private var isPlainJSON: Bool {
        guard let value = try? JSONValue(parsing: self.content) else { return false }
        return !JSONExpectation(value).hasPlaceholders && JSONExpectation.unknownPlaceholders(in: value).isEmpty
    }
}
