import TapedeckJSON

/// The trailers of a gRPC-Web call, which are the last message of the body: lines of `name: value`.
package struct GRPCWebTrailers: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        /// The name as sent, usually in lower case.
        package var name: String
        package var value: [UInt8]

        package init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    package var fields: [Field]
    /// True if a space follows the colons. Implementations differ.
    package var hasSpaces: Bool

    package init(fields: [Field], hasSpaces: Bool = true) {
        self.fields = fields
        self.hasSpaces = hasSpaces
    }

    /// Parses the decompressed bytes of a message with ``GRPCMessage/isWebTrailers``. Returns `nil` if a line has no
    /// colon.
    ///
    /// Lines may end in LF alone. Compare ``bytes`` to find out if the trailers are exact.
    package init?(parsing bytes: [UInt8]) {
        self.fields = []
        self.hasSpaces = false
        for line in bytes.split(separator: ASCII.lineFeed) {
            let line = line.last == ASCII.carriageReturn ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            guard let colon = line.firstIndex(of: ASCII.colon) else { return nil }
            let value = line[(colon + 1)...]
            if value.first == ASCII.space { self.hasSpaces = true }
            self.fields.append(
                Field(
                    name: String(decoding: line[..<colon], as: UTF8.self),
                    value: Array(value.drop { $0 == ASCII.space })
                )
            )
        }
    }

    /// The bytes of the message, with CR LF behind each line.
    package var bytes: [UInt8] {
        self.fields.flatMap { field in
            Array(field.name.utf8) + Array((self.hasSpaces ? ": " : ":").utf8) + field.value
                + [ASCII.carriageReturn, ASCII.lineFeed]
        }
    }
}

/// Decodes a base64 body of `application/grpc-web-text`, piece by piece as it arrives.
///
/// The body may be a sequence of base64 texts, each with its own padding, because servers may encode messages one by
/// one.
package struct GRPCWebTextReader: Sendable {
    /// The last characters, fewer than four.
    private var pending: [UInt8] = []

    package init() {}

    /// True if the body may end here: the number of characters is a multiple of four.
    package var isWhole: Bool { self.pending.isEmpty }

    /// Decodes a piece of the body. Returns `nil` if it is not base64.
    package mutating func decode(_ piece: some Collection<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(piece.count / 4 * 3 + 3)
        for byte in piece {
            self.pending.append(byte)
            guard self.pending.count == 4 else { continue }
            guard let bytes = self.pending.withUnsafeBytes({ Base64.decodeEither($0) }) else { return nil }
            output.append(contentsOf: bytes)
            self.pending.removeAll(keepingCapacity: true)
        }
        return output
    }

    /// Decodes a whole body. Returns `nil` if it is not base64 or is cut off.
    package static func bytes(of body: [UInt8]) -> [UInt8]? {
        var reader = GRPCWebTextReader()
        let bytes = reader.decode(body)
        return reader.isWhole ? bytes : nil
    }
}
