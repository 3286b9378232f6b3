import CZlib
package import TapedeckCore

/// Puts gzip and deflate on, with zlib.
enum Deflating {
    typealias Take = (UnsafeBufferPointer<UInt8>) -> Bool

    static func gzip(
        _ bytes: [UInt8],
        _ parameters: DeflateParameters,
        _ header: GzipHeader,
        _ take: Take
    ) throws -> Bool {
        guard header.bytes(level: parameters).withUnsafeBufferPointer(take) else { return false }
        guard try self.raw(bytes, parameters, windowBits: -parameters.window, .gzip, take) else { return false }
        // RFC 1952 section 2.3.1.
        let checksum = bytes.withUnsafeBytes { ContentCoder.checksum($0) }
        let size = UInt32(truncatingIfNeeded: bytes.count)
        return (checksum.littleEndianBytes + size.littleEndianBytes).withUnsafeBufferPointer(take)
    }

    static func deflate(
        _ bytes: [UInt8],
        _ parameters: DeflateParameters,
        isBare: Bool,
        _ take: Take
    ) throws -> Bool {
        try self.raw(bytes, parameters, windowBits: isBare ? -parameters.window : parameters.window, .deflate, take)
    }

    /// - Parameter windowBits: as zlib has it: negative for a bare stream.
    static func raw(
        _ bytes: [UInt8],
        _ parameters: DeflateParameters,
        windowBits: Int,
        _ coding: ContentCoding,
        _ take: Take
    ) throws -> Bool {
        var stream = z_stream()
        let status = tapedeck_deflateInit2(
            &stream,
            Int32(parameters.level),
            Int32(windowBits),
            Int32(parameters.memory),
            parameters.strategy.code
        )
        guard status == Z_OK else { throw ContentCoder.Problem.noEncoder(coding) }
        defer { deflateEnd(&stream) }
        var piece = [UInt8](repeating: 0, count: min(Inflating.pieceSize, bytes.count + 64))
        return try bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            var start = 0
            for end in parameters.flushes.filter({ $0 <= input.count }) + [-1] {
                let flush = end < 0 ? Z_FINISH : Z_SYNC_FLUSH
                let end = end < 0 ? input.count : end
                stream.avail_in = UInt32(end - start)
                start = end
                var isDone = false
                while !isDone {
                    let (status, isTaken) = piece.withUnsafeMutableBufferPointer { piece in
                        stream.next_out = piece.baseAddress
                        stream.avail_out = UInt32(piece.count)
                        let status = CZlib.deflate(&stream, flush)
                        let count = piece.count - Int(stream.avail_out)
                        return (status, count == 0 || take(UnsafeBufferPointer(rebasing: piece[..<count])))
                    }
                    guard isTaken else { return false }
                    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                        throw ContentCoder.Problem.noEncoder(coding)
                    }
                    // zlib.h: a flush is complete once it leaves space in the output.
                    isDone = flush == Z_FINISH ? status == Z_STREAM_END : stream.avail_out > 0
                }
            }
            return true
        }
    }
}

extension DeflateParameters.Strategy {
    fileprivate var code: Int32 {
        switch self {
        case .standard: Z_DEFAULT_STRATEGY
        case .filtered: Z_FILTERED
        case .huffman: Z_HUFFMAN_ONLY
        case .rle: Z_RLE
        case .fixed: Z_FIXED
        }
    }
}

extension UInt32 {
    fileprivate var littleEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

extension GzipHeader {
    private static let hasExtra: UInt8 = 4
    private static let hasName: UInt8 = 8
    private static let hasComment: UInt8 = 16

    /// XFL as zlib writes it.
    private static func usualFlags(_ parameters: DeflateParameters) -> UInt8 {
        if parameters.level == 9 { return 2 }
        return parameters.level < 2 || ![.standard, .filtered].contains(parameters.strategy) ? 4 : 0
    }

    /// The header as a gzip member begins with it (RFC 1952 section 2.3).
    func bytes(level parameters: DeflateParameters) -> [UInt8] {
        var flags: UInt8 = 0
        if self.extra != nil { flags |= Self.hasExtra }
        if self.name != nil { flags |= Self.hasName }
        if self.comment != nil { flags |= Self.hasComment }
        var bytes: [UInt8] = [0x1F, 0x8B, 8, flags] + self.time.littleEndianBytes
        bytes += [self.extraFlags ?? Self.usualFlags(parameters), self.system]
        if let extra = self.extra {
            bytes += [UInt8(truncatingIfNeeded: extra.count), UInt8(truncatingIfNeeded: extra.count >> 8)] + extra
        }
        if let name = self.name { bytes += name + [0] }
        if let comment = self.comment { bytes += comment + [0] }
        return bytes
    }

    /// Reads the header of a member. Returns `nil` if it is not a header, or has FTEXT, FHCRC or reserved flags, which
    /// are not noted.
    ///
    /// - Returns: the header, its ``extraFlags`` as found, and its length in bytes.
    package static func read(_ bytes: [UInt8]) -> (header: GzipHeader, length: Int)? {
        guard bytes.count >= 18, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 else { return nil }
        let flags = bytes[3]
        guard flags & ~(Self.hasExtra | Self.hasName | Self.hasComment) == 0 else { return nil }
        var header = GzipHeader()
        header.time = (0..<4).reduce(0) { $0 | UInt32(bytes[4 + $1]) << (8 * UInt32($1)) }
        header.extraFlags = bytes[8]
        header.system = bytes[9]
        var index = 10
        if flags & Self.hasExtra != 0 {
            let count = Int(bytes[10]) | Int(bytes[11]) << 8
            guard 12 + count <= bytes.count else { return nil }
            header.extra = Array(bytes[12..<(12 + count)])
            index = 12 + count
        }
        func text() -> [UInt8]? {
            guard let end = bytes[index...].firstIndex(of: 0) else { return nil }
            defer { index = end + 1 }
            return Array(bytes[index..<end])
        }
        if flags & Self.hasName != 0 {
            guard let name = text() else { return nil }
            header.name = name
        }
        if flags & Self.hasComment != 0 {
            guard let comment = text() else { return nil }
            header.comment = comment
        }
        return (header, index)
    }

    /// The header without ``extraFlags`` that follow from the parameters.
    func simplified(for parameters: DeflateParameters) -> GzipHeader {
        var header = self
        if header.extraFlags == Self.usualFlags(parameters) { header.extraFlags = nil }
        return header
    }
}
