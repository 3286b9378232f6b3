import TapedeckJSON

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
