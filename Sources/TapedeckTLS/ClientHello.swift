/// A reader of the first message of a TLS client. It does not consume the bytes, so that they can be forwarded (RFC
/// 8446 section 4.1.2).
package enum ClientHello {
    /// The host in the client's SNI (RFC 6066 section 3).
    package enum ServerName: Sendable, Equatable {
        /// It names none.
        case none
        /// A DNS name, in lower case and without a final dot.
        case host(String)
        /// An address, which RFC 6066 does not allow, or no name at all; in visible ASCII, at most 80 characters.
        case unusable(String)
    }

    /// The result of reading the front of some bytes.
    package enum Found: Sendable, Equatable {
        /// More bytes must come.
        case incomplete
        /// No ClientHello.
        case malformed
        case complete(ServerName)
    }

    /// The most that one may take, with its records, in bytes. Real ones have some 500, or 1,800 with the key of a post-quantum group.
    package static let limit = 64 << 10

    /// Looks for a ClientHello, which may be cut into several records (RFC 8446 section 5.1).
    package static func scan(_ bytes: UnsafeRawBufferPointer) -> Found {
        var index = 0
        var message: [UInt8] = []
        while true {
            // A handshake message: its type, 1, and its length in three bytes.
            if let type = message.first, type != 1 { return .malformed }
            if message.count >= 4 {
                let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
                if length > self.limit { return .malformed }
                if message.count >= 4 + length {
                    return self.serverName(Fields(message[4..<4 + length])).map(Found.complete) ?? .malformed
                }
            }
            // A record: its type, 22, a version that begins with 3, and its length in two bytes.
            if index < bytes.count, bytes[index] != 22 { return .malformed }
            if index + 1 < bytes.count, bytes[index + 1] != 3 { return .malformed }
            let incomplete = bytes.count > self.limit ? Found.malformed : .incomplete
            guard index + 5 <= bytes.count else { return incomplete }
            let length = Int(bytes[index + 3]) << 8 | Int(bytes[index + 4])
            guard (1...1 << 14).contains(length) else { return .malformed }
            if message.isEmpty, index + 5 < bytes.count, bytes[index + 5] != 1 { return .malformed }
            // Half a record is not copied: this function is called again for each further piece.
            guard index + 5 + length <= bytes.count else { return incomplete }
            message += bytes[(index + 5)..<(index + 5 + length)]
            index += 5 + length
        }
    }

    /// Returns the name in the body of a ClientHello; `nil` if it is malformed.
    private static func serverName(_ body: Fields) -> ServerName? {
        var body = body
        // The version and the random number; then session id, cipher suites and compression methods.
        guard body.skip(2 + 32), body.vector(1) != nil, body.vector(2) != nil, body.vector(1) != nil else { return nil }
        // Before TLS 1.3 there need be no extensions.
        guard !body.isAtEnd else { return ServerName.none }
        guard var extensions = body.vector(2) else { return nil }
        while !extensions.isAtEnd {
            guard let type = extensions.number(2), var data = extensions.vector(2) else { return nil }
            guard type == 0 else { continue }
            guard var names = data.vector(2) else { return nil }
            while !names.isAtEnd {
                guard let kind = names.number(1), let name = names.vector(2) else { return nil }
                // The only kind there is.
                if kind == 0 { return self.serverName(String(decoding: name.bytes, as: UTF8.self)) }
            }
        }
        return ServerName.none
    }

    private static func serverName(_ text: String) -> ServerName {
        if let host = try? CertificateHost(text), host.kind == .dns { return .host(host.name) }
        return .unusable(String(text.prefix(80).map { $0.isASCII && $0 > " " && $0 <= "~" ? $0 : "?" }))
    }
}

/// Reads numbers and vectors (RFC 8446 section 3.4) off the front of bytes.
private struct Fields {
    private(set) var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { self.bytes.isEmpty }

    mutating func skip(_ count: Int) -> Bool {
        guard self.bytes.count >= count else { return false }
        self.bytes.removeFirst(count)
        return true
    }

    /// Reads the next number of this many bytes.
    mutating func number(_ count: Int) -> Int? {
        guard self.bytes.count >= count else { return nil }
        defer { self.bytes.removeFirst(count) }
        return self.bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a vector with a length of `count` bytes.
    mutating func vector(_ count: Int) -> Fields? {
        guard let length = self.number(count), self.bytes.count >= length else { return nil }
        defer { self.bytes.removeFirst(length) }
        return Fields(self.bytes.prefix(length))
    }
}
