import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf

/// The messages of a call as people are shown them.
enum CallText {
    /// The maximum size of a message that is shown, in bytes. 16 KiB.
    private static let messageLimit = 16 << 10

    /// The whole messages of a body, one behind the other; `nil` for a body that is no call's.
    ///
    /// - Parameter body: without its compression; it may end inside a message.
    static func text(_ body: [UInt8], _ fields: [HeaderField]) -> String? {
        guard let framing = MessageFraming(fields) else { return nil }
        var counter = MessageCounter()
        let end = body.withUnsafeBytes { counter.take($0).last ?? 0 }
        guard let messages = framing.messages(of: Array(body.prefix(end))) else { return nil }
        let codec = MessageCodec(fields, type: nil)
        return self.text(
            messages.map { message in
                message.isCompressed
                    ? StoredMessage(message.bytes, .other, limit: 0)
                    : StoredMessage(message.bytes, codec, limit: Self.messageLimit)
            }
        )
    }

    /// The messages of a body on tape.
    static func text(_ list: MessageList) -> String {
        self.text(list.messages)
    }

    private static func text(_ messages: [StoredMessage]) -> String {
        messages.map { message in
            guard message.isText else { return "\(message.bytes.count) bytes" }
            let text = String(decoding: message.content, as: UTF8.self)
            if text.isEmpty { return "(empty)" }
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }.joined(separator: "\n---\n")
    }
}
