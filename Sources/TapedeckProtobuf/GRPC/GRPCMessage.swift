import TapedeckJSON

/// A length-prefixed message in a body of gRPC, gRPC-Web or Connect.
package struct GRPCMessage: Sendable, Hashable {
    /// The size of the prefix: one byte of flags and four bytes of length, big-endian.
    package static let prefixLength = 5

    /// Bit 0 marks compressed ``bytes``. gRPC-Web marks trailers with bit 7, Connect the end of the stream with bit 1.
    package var flags: UInt8
    /// The message as sent, compressed if ``isCompressed``.
    package var bytes: [UInt8]

    package init(flags: UInt8 = 0, bytes: [UInt8]) {
        self.flags = flags
        self.bytes = bytes
    }

    /// True if ``bytes`` are compressed with the coding in `grpc-encoding` or `connect-content-encoding`.
    package var isCompressed: Bool {
        get { self.flags & 0x01 != 0 }
        set { self.flags = self.flags & ~0x01 | (newValue ? 0x01 : 0) }
    }

    /// True for the trailers of gRPC-Web, as lines of `name: value`.
    package var isWebTrailers: Bool { self.flags & 0x80 != 0 }

    /// The message with its prefix. The length must fit into 32 bits.
    package var frame: [UInt8] {
        let count = UInt32(self.bytes.count)
        let prefix = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
        return [self.flags] + prefix + self.bytes
    }
}

/// A message exceeds the limit. The rest of the body cannot be read.
package struct GRPCMessageTooLarge: Error, Sendable, Equatable, CustomStringConvertible {
    /// The length of the message, in bytes.
    package var count: Int
    package var limit: Int

    package var description: String {
        "a message of \(self.count) bytes exceeds the limit of \(self.limit) bytes"
    }
}

/// Splits a body into messages, piece by piece as it arrives.
package struct GRPCMessageReader: Sendable {
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The number of bytes at the start of ``buffer`` that have been returned as messages.
    private var consumed = 0

    /// - Parameter limit: the maximum length of a message, in bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The bytes of an incomplete message. If any are left at the end of the body, the body was cut off.
    package var rest: ArraySlice<UInt8> { self.buffer[self.consumed...] }

    /// Adds a piece of the body. Call ``next()`` until it returns `nil` before adding the next piece.
    package mutating func append(_ piece: some Collection<UInt8>) {
        // Moves fewer bytes than were consumed, so that the cost stays linear however small the pieces are.
        if self.consumed > self.buffer.count / 2 {
            self.buffer.removeFirst(self.consumed)
            self.consumed = 0
        }
        self.buffer.append(contentsOf: piece)
    }

    /// Returns the next complete message; `nil` if more bytes are needed.
    ///
    /// - Throws: as soon as a prefix announces a message over the limit.
    package mutating func next() throws(GRPCMessageTooLarge) -> GRPCMessage? {
        guard self.rest.count >= GRPCMessage.prefixLength else { return nil }
        let start = self.consumed
        let count = self.buffer[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
        guard count <= self.limit else { throw GRPCMessageTooLarge(count: count, limit: self.limit) }
        let first = start + GRPCMessage.prefixLength
        guard self.buffer.count - first >= count else { return nil }
        self.consumed = first + count
        return GRPCMessage(flags: self.buffer[start], bytes: Array(self.buffer[first..<self.consumed]))
    }

    /// Splits a whole body into messages and the bytes of an incomplete last message.
    package static func split(
        _ body: [UInt8],
        limit: Int = .max
    ) throws(GRPCMessageTooLarge) -> (messages: [GRPCMessage], rest: [UInt8]) {
        var reader = GRPCMessageReader(limit: limit)
        reader.append(body)
        var messages: [GRPCMessage] = []
        while let message = try reader.next() { messages.append(message) }
        return (messages, Array(reader.rest))
    }
}
