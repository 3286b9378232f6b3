import CZlib
import TapedeckCore

/// Decodes gzip and deflate, with zlib.
enum Inflating {
    static let pieceSize = 64 << 10

    static func decode(
        _ bytes: [UInt8],
        _ coding: ContentCoding,
        limit: Int
    ) throws -> (content: [UInt8], end: ContentCoder.End) {
        var output: [UInt8] = []
        var start = 0
        repeat {
            let (used, isWhole) = try self.member(bytes, from: start, coding, into: &output, limit: limit)
            guard isWhole else {
                // An invalid second member is not part of the stream.
                if start > 0, used == nil { return (output, .followed(by: Array(bytes[start...]))) }
                return (output, .brokenOff)
            }
            start += used ?? 0
            // RFC 1952 section 2.2: members simply follow each other.
        } while coding == .gzip && bytes[start...].starts(with: [0x1F, 0x8B])
        return (output, start == bytes.count ? .whole : .followed(by: Array(bytes[start...])))
    }

    /// Unpacks one stream.
    ///
    /// - Returns: how many bytes it has, `nil` where not even its header is one; and whether it is complete.
    private static func member(
        _ bytes: [UInt8],
        from start: Int,
        _ coding: ContentCoding,
        into output: inout [UInt8],
        limit: Int
    ) throws -> (used: Int?, isWhole: Bool) {
        // RFC 9110 section 8.4.1.2: "deflate" is the zlib format, though some send the bare stream.
        let isBare = coding == .deflate && !ZlibHeader.begins(bytes)
        var stream = z_stream()
        guard tapedeck_inflateInit2(&stream, coding == .gzip ? 31 : isBare ? -15 : 15) == Z_OK else {
            throw ContentCoder.Problem.noEncoder(coding)
        }
        defer { inflateEnd(&stream) }
        let before = output.count
        var piece = [UInt8](repeating: 0, count: min(self.pieceSize, max(1 << 10, (bytes.count - start) * 8)))
        return try bytes.withUnsafeBufferPointer { input in
            let input = UnsafeBufferPointer(rebasing: input[start...])
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = Self.step(&stream, into: &piece, Z_SYNC_FLUSH)
                output.append(contentsOf: piece[..<count])
                guard output.count <= limit else { throw ContentCoder.Problem.tooLarge(limit: limit) }
                if status == Z_STREAM_END { return (input.count - Int(stream.avail_in), true) }
                guard status == Z_OK, count > 0 else {
                    let hasHeader = output.count > before || status != Z_DATA_ERROR
                    return (hasHeader ? input.count - Int(stream.avail_in) : nil, false)
                }
            }
        }
    }

    /// Decodes as much as fits into a piece, and returns zlib's status and the number of bytes.
    private static func step(_ stream: inout z_stream, into piece: inout [UInt8], _ flush: Int32) -> (Int32, Int) {
        piece.withUnsafeMutableBufferPointer { piece in
            stream.next_out = piece.baseAddress
            stream.avail_out = UInt32(piece.count)
            let status = inflate(&stream, flush)
            return (status, piece.count - Int(stream.avail_out))
        }
    }

    /// Returns the offsets in the decoded body where a stream was flushed: each is followed by an empty stored block,
    /// as `Z_SYNC_FLUSH` and `Z_FULL_FLUSH` write it.
    ///
    /// - Parameter bytes: a complete bare deflate stream.
    /// - Returns: `nil` if there are more than `limit` offsets.
    static func flushes(_ bytes: ArraySlice<UInt8>, limit: Int) -> [Int]? {
        guard self.mayBeFlushed(bytes) else { return [] }
        var stream = z_stream()
        guard tapedeck_inflateInit2(&stream, -15) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var offsets: [Int] = []
        var total = 0
        var piece = [UInt8](repeating: 0, count: self.pieceSize)
        return bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = Self.step(&stream, into: &piece, Z_BLOCK)
                total += count
                if status == Z_STREAM_END { return offsets }
                guard status == Z_OK else { return nil }
                // zlib.h: 128 is set at the end of a block's header and of a block, the low bits say how many of the last
                // byte are still unused.
                guard stream.data_type & 128 != 0 else { continue }
                let consumed = input.count - Int(stream.avail_in)
                guard self.isEmptyStored(input, at: consumed, unused: Int(stream.data_type & 7)) else { continue }
                if offsets.last != total { offsets.append(total) }
                guard offsets.count <= limit else { return nil }
            }
        }
    }

    /// True if an empty stored block begins with the unused bits of the byte in front of `index` (RFC 1951 section 3.2.4).
    private static func isEmptyStored(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, unused: Int) -> Bool {
        var header = index > 0 && unused > 0 ? Int(bytes[index - 1]) >> (8 - unused) : 0
        var index = index
        if unused < 3 {
            guard index < bytes.count else { return false }
            header |= Int(bytes[index]) << unused
            index += 1
        }
        // No last block, stored.
        guard header & 7 == 0, index + 4 <= bytes.count else { return false }
        return bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 0xFF && bytes[index + 3] == 0xFF
    }

    private static func mayBeFlushed(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            guard bytes.count >= 4 else { return false }
            for index in 3..<bytes.count
            where bytes[index] == 0xFF && bytes[index - 1] == 0xFF && bytes[index - 2] == 0 && bytes[index - 3] == 0 {
                return true
            }
            return false
        }
    }
}

/// The header of a zlib stream (RFC 1950 section 2.2).
struct ZlibHeader: Hashable {
    /// The size of the window as a power of two.
    var window: Int
    /// FLEVEL: 0 for the fastest to 3 for the slowest.
    var speed: Int

    /// Returns `nil` if the header is missing or requires a dictionary.
    init?(_ bytes: [UInt8]) {
        guard Self.begins(bytes), bytes[1] & 0x20 == 0 else { return nil }
        self.window = Int(bytes[0] >> 4) + 8
        self.speed = Int(bytes[1] >> 6)
    }

    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }
}

/// Checksums.
extension ContentCoder {
    /// CRC-32 as zlib computes it.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}
