import NIOCore
import TapedeckCore
import TapedeckHTTP1

/// The framing of a response's body on the client's connection (RFC 9112 section 6, RFC 9113 section 8.1).
enum ResponseFraming: Sendable, Equatable {
    /// No body, whatever the header fields say: the answer to HEAD, 204 and 304.
    case none
    case length(Int)
    case chunked
    case untilClose
    /// The end of an HTTP/2 stream ends it.
    case stream
}

/// The version of HTTP that a client speaks.
enum ClientVersion: UInt8, Sendable, Hashable {
    /// Without chunks and interim responses; closes by default.
    case http10
    case http11
    case http2
}

/// The client's abilities that affect the bytes of a response.
struct ClientAbilities: Sendable, Hashable {
    var isHead = false
    var version = ClientVersion.http11
    /// True if the client wants to keep the connection; always true with HTTP/2.
    var keepsAlive = true
    /// The content codings that it accepts.
    var codings = AcceptedCodings.identity

    /// Returns true if it gets the body coded: because it accepts the codings, or because all clients get them.
    func getsCoded(_ coding: BodyCoding) -> Bool {
        coding.isForAll || self.codings.accepts(coding)
    }
}

/// Writes response heads of HTTP/1: one place for what is forwarded live and what is played, so that both look the same.
enum WireHead {
    /// Appends status line, fields and the empty line. A Connection field is added if the client needs it to know
    /// whether the connection stays (RFC 9112 section 9.3).
    static func write(
        status: Int,
        reason: String,
        fields: [HeaderField],
        closes: Bool,
        client: ClientAbilities,
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
        } else if client.version == .http10 {
            bytes.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        buffer.writeBytes(bytes)
    }

    /// Appends `fields` as header lines.
    static func append(_ fields: [HeaderField], to bytes: inout [UInt8]) {
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
    static func writeChunk(_ bytes: ByteBuffer, to buffer: inout ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        buffer.writeString(String(bytes.readableBytes, radix: 16))
        buffer.writeStaticString("\r\n")
        buffer.writeImmutableBuffer(bytes)
        buffer.writeStaticString("\r\n")
    }

    /// Appends the last chunk and the trailer fields that may be sent.
    static func writeLastChunk(trailers: [HeaderField], to buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n")
        var bytes: [UInt8] = []
        self.append(TrailerFields.sendable(trailers), to: &bytes)
        buffer.writeBytes(bytes)
        buffer.writeStaticString("\r\n")
    }
}
