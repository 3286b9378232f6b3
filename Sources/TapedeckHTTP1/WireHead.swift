package import NIOCore
package import TapedeckCore

/// Writes HTTP/1: one place for what is forwarded live, what is played and what the control API answers, so that all look the
/// same.
package enum WireHead {
    /// Appends status line, fields and the empty line. A Connection field is added if the client needs it to know
    /// whether the connection stays (RFC 9112 section 9.3).
    package static func write(
        status: Int,
        reason: String,
        fields: [HeaderField],
        closes: Bool,
        isHTTP10: Bool,
        to buffer: inout ByteBuffer
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + fields.count * 48)
        bytes.append(contentsOf: "HTTP/1.1 \(status) ".utf8)
        ByteText.append(reason, to: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
        self.append(fields, to: &bytes)
        if closes {
            bytes.append(contentsOf: "Connection: close\r\n".utf8)
        } else if isHTTP10 {
            bytes.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        buffer.writeBytes(bytes)
    }

    /// Appends `fields` as header lines.
    package static func append(_ fields: [HeaderField], to bytes: inout [UInt8]) {
        for field in fields {
            ByteText.append(field.name, to: &bytes)
            bytes.append(ASCII.colon)
            bytes.append(ASCII.space)
            ByteText.append(field.value, to: &bytes)
            bytes.append(ASCII.carriageReturn)
            bytes.append(ASCII.lineFeed)
        }
    }

    /// Appends `bytes` as one chunk (RFC 9112 section 7.1).
    package static func writeChunk(_ bytes: ByteBuffer, to buffer: inout ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        buffer.writeString(String(bytes.readableBytes, radix: 16))
        buffer.writeStaticString("\r\n")
        buffer.writeImmutableBuffer(bytes)
        buffer.writeStaticString("\r\n")
    }

    /// Appends the last chunk and the trailer fields that may be sent.
    package static func writeLastChunk(trailers: [HeaderField], to buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n")
        var bytes: [UInt8] = []
        self.append(TrailerFields.sendable(trailers), to: &bytes)
        buffer.writeBytes(bytes)
        buffer.writeStaticString("\r\n")
    }
}
