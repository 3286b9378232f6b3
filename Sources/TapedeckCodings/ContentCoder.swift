import CZlib
package import TapedeckCore

/// Puts content codings on bodies and takes them off, with zlib.
package enum ContentCoder {
    package enum Problem: Error, CustomStringConvertible {
        case corrupt(ContentCoding)
        case tooLarge(limit: Int)

        package var description: String {
            switch self {
            case .corrupt(let coding): "the body is no complete \(coding.rawValue) stream"
            case .tooLarge(let limit): "the decoded body is larger than \(limit) bytes"
            }
        }
    }

    private static let pieceSize = 64 << 10

    /// - Throws: ``Problem`` when the stream is damaged, goes on behind its end, or unpacks to more than `limit` bytes.
    package static func decode(_ bytes: [UInt8], _ coding: ContentCoding, limit: Int) throws -> [UInt8] {
        // RFC 9110 section 8.4.1.2: "deflate" is the zlib format, though some send the bare stream.
        let isBareDeflate = coding == .deflate && !Self.hasZlibHeader(bytes)
        var stream = z_stream()
        guard tapedeck_inflateInit2(&stream, coding == .gzip ? 31 : isBareDeflate ? -15 : 15) == Z_OK else {
            throw Problem.corrupt(coding)
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        let status = try Self.run(&stream, over: bytes, into: &output, limit: limit) { inflate(&$0, Z_NO_FLUSH) }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { throw Problem.corrupt(coding) }
        return output
    }

    /// What comes out of a stream that may break off: all that can be unpacked of it.
    ///
    /// - Throws: ``Problem`` when it unpacks to more than `limit` bytes.
    package static func decodeStart(_ bytes: [UInt8], _ coding: ContentCoding, limit: Int) throws -> [UInt8] {
        let isBareDeflate = coding == .deflate && !Self.hasZlibHeader(bytes)
        var stream = z_stream()
        guard tapedeck_inflateInit2(&stream, coding == .gzip ? 31 : isBareDeflate ? -15 : 15) == Z_OK else {
            throw Problem.corrupt(coding)
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        _ = try Self.run(&stream, over: bytes, into: &output, limit: limit) { inflate(&$0, Z_SYNC_FLUSH) }
        return output
    }

    /// The same bytes give the same stream every time: no time stamp, level 6.
    package static func encode(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        var stream = z_stream()
        guard tapedeck_deflateInit2(&stream, 6, coding == .gzip ? 31 : 15) == Z_OK else {
            throw Problem.corrupt(coding)
        }
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        let status = try Self.run(&stream, over: bytes, into: &output, limit: .max) { deflate(&$0, Z_FINISH) }
        guard status == Z_STREAM_END else { throw Problem.corrupt(coding) }
        return output
    }

    private static func run(
        _ stream: inout z_stream,
        over input: [UInt8],
        into output: inout [UInt8],
        limit: Int,
        step: (inout z_stream) -> Int32
    ) throws -> Int32 {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        return try input.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = piece.withUnsafeMutableBufferPointer { piece in
                    stream.next_out = piece.baseAddress
                    stream.avail_out = UInt32(piece.count)
                    let status = step(&stream)
                    return (status, piece.count - Int(stream.avail_out))
                }
                output.append(contentsOf: piece[..<count])
                guard output.count <= limit else { throw Problem.tooLarge(limit: limit) }
                if status != Z_OK || count == 0 { return status }
            }
        }
    }

    /// RFC 1950 section 2.2.
    private static func hasZlibHeader(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    /// CRC-32 as zlib computes it.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}
