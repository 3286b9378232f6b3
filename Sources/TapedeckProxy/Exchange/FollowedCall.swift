import NIOCore
import TapedeckCodings
import TapedeckCore

/// The messages of a call whose set was chosen before all of them had come.
struct FollowedCall {
    /// The answer of the set.
    let play: Play
    /// The number of messages that are those of the set.
    private(set) var count = 0
    private var counter = MessageCounter()
    /// The bytes after the last whole message.
    private var rest = ByteBuffer()
    private var offset = 0

    /// The largest message that is compared, in bytes: 1 MiB.
    private static let limit = 1 << 20

    init(_ play: Play) {
        self.play = play
    }

    /// Takes the next bytes of the request. Returns the messages that are whole by now, in their frames and without compression;
    /// `nil` for one that is too large.
    mutating func take(_ bytes: ByteBuffer, _ fields: [HeaderField]) -> [UInt8]? {
        let start = self.offset - self.rest.readableBytes
        let end = bytes.withUnsafeReadableBytes { self.counter.take($0) }.last
        self.offset += bytes.readableBytes
        self.rest.writeImmutableBuffer(bytes)
        guard let end else { return self.rest.readableBytes <= Self.limit ? [] : nil }
        let messages = self.rest.readBytes(length: end - start) ?? []
        self.rest.discardReadBytes()
        return MessageCoder.decoded(messages, fields, limit: Self.limit * 16)
    }

    /// The messages so far are those of the set.
    mutating func checked() {
        self.count = self.counter.count
    }
}
