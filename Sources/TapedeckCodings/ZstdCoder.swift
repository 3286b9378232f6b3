import CZstd
import TapedeckCore

/// Decodes and encodes zstd (RFC 8878).
enum ZstdCoder {
    /// The size of the largest window that is unpacked, as a power of two: 8 MiB (RFC 9659 section 3).
    private static let windowLimit: Int32 = 23

    /// Frames follow each other; skippable frames are skipped (RFC 8878 section 3.1.2).
    static func decode(_ bytes: [UInt8], limit: Int) throws -> (content: [UInt8], end: ContentCoder.End) {
        guard let decoder = ZSTD_createDCtx() else { throw ContentCoder.Problem.noEncoder(.zstd) }
        defer { ZSTD_freeDCtx(decoder) }
        _ = ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, Self.windowLimit)
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(Inflating.pieceSize, max(1 << 10, bytes.count * 8)))
        return try bytes.withUnsafeBytes { input in
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            while true {
                if source.pos == input.count, output.isEmpty, source.pos == 0 { return (output, .brokenOff) }
                let start = source.pos
                let (hint, count) = piece.withUnsafeMutableBytes { piece in
                    var target = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
                    return (ZSTD_decompressStream(decoder, &target, &source), target.pos)
                }
                output.append(contentsOf: piece[..<count])
                guard output.count <= limit else { throw ContentCoder.Problem.tooLarge(limit: limit) }
                guard ZSTD_isError(hint) == 0 else {
                    if ZSTD_getDictID_fromFrame(input.baseAddress, input.count) != 0 {
                        throw ContentCoder.Problem.needsDictionary
                    }
                    return (output, .brokenOff)
                }
                if hint == 0 {
                    if source.pos == input.count { return (output, .whole) }
                    if !Self.isFrame(input[source.pos...]) {
                        return (output, .followed(by: Array(input[source.pos...])))
                    }
                } else if source.pos == start, count == 0 {
                    return (output, .brokenOff)
                }
            }
        }
    }

    /// True if a frame, or one to be skipped, begins there.
    private static func isFrame(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count >= 4 else { return false }
        let number = Array(bytes.prefix(4)).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return number == 0xFD2F_B528 || number & 0xFFFF_FFF0 == 0x184D_2A50
    }

    static func encode(
        _ bytes: [UInt8],
        _ parameters: ZstdParameters,
        _ take: Deflating.Take
    ) throws -> Bool {
        guard let encoder = ZSTD_createCCtx() else { throw ContentCoder.Problem.noEncoder(.zstd) }
        defer { ZSTD_freeCCtx(encoder) }
        _ = ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, Int32(parameters.level))
        _ = ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, parameters.hasChecksum ? 1 : 0)
        if parameters.saysSize { _ = ZSTD_CCtx_setPledgedSrcSize(encoder, UInt64(bytes.count)) }
        var piece = [UInt8](repeating: 0, count: min(Inflating.pieceSize, bytes.count + 128))
        return try bytes.withUnsafeBytes { input in
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            // The library takes what comes with the first end for the whole: without its size it comes before.
            var directive = parameters.saysSize ? ZSTD_e_end : ZSTD_e_continue
            while true {
                let (hint, isTaken) = piece.withUnsafeMutableBytes { piece in
                    var target = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
                    let hint = ZSTD_compressStream2(encoder, &target, &source, directive)
                    let made = UnsafeRawBufferPointer(rebasing: piece[..<target.pos])
                    return (hint, made.isEmpty || take(made.bindMemory(to: UInt8.self)))
                }
                guard ZSTD_isError(hint) == 0 else { throw ContentCoder.Problem.noEncoder(.zstd) }
                guard isTaken else { return false }
                if directive == ZSTD_e_continue {
                    if source.pos == input.count { directive = ZSTD_e_end }
                } else if hint == 0 {
                    return true
                }
            }
        }
    }

    /// Reads the header of a frame (RFC 8878 section 3.1.1.1); `nil` if there is none at this position.
    static func header(_ bytes: [UInt8]) -> (hasChecksum: Bool, saysSize: Bool)? {
        guard bytes.count >= 6, bytes[0] == 0x28, Self.isFrame(bytes) else { return nil }
        let descriptor = bytes[4]
        // Without a window descriptor, a single segment, the size is always there.
        return (descriptor & 4 != 0, descriptor & 0x20 != 0 || descriptor >> 6 != 0)
    }
}
