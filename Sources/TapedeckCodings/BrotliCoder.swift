import CBrotli
import TapedeckCore

/// Decodes and encodes br (RFC 7932).
enum BrotliCoder {
    static func decode(_ bytes: [UInt8], limit: Int) throws -> (content: [UInt8], end: ContentCoder.End) {
        guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw ContentCoder.Problem.noEncoder(.br)
        }
        defer { BrotliDecoderDestroyInstance(decoder) }
        var output: [UInt8] = []
        return try bytes.withUnsafeBufferPointer { input in
            var nextIn = input.baseAddress
            var left = input.count
            while true {
                var space = 0
                let result = BrotliDecoderDecompressStream(decoder, &left, &nextIn, &space, nil, nil)
                while BrotliDecoderHasMoreOutput(decoder) != 0 {
                    var count = Inflating.pieceSize
                    guard let piece = BrotliDecoderTakeOutput(decoder, &count), count > 0 else { break }
                    output.append(contentsOf: UnsafeBufferPointer(start: piece, count: count))
                    guard output.count <= limit else { throw ContentCoder.Problem.tooLarge(limit: limit) }
                }
                switch result {
                case BROTLI_DECODER_RESULT_SUCCESS:
                    return (output, left == 0 ? .whole : .followed(by: Array(bytes.suffix(left))))
                case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
                default: return (output, .brokenOff)
                }
            }
        }
    }

    static func encode(
        _ bytes: [UInt8],
        _ parameters: BrotliParameters,
        _ take: Deflating.Take
    ) throws -> Bool {
        guard let encoder = BrotliEncoderCreateInstance(nil, nil, nil) else {
            throw ContentCoder.Problem.noEncoder(.br)
        }
        defer { BrotliEncoderDestroyInstance(encoder) }
        guard BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, UInt32(parameters.quality)) != 0,
            BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, UInt32(parameters.window)) != 0
        else { throw ContentCoder.Problem.noEncoder(.br) }
        return try bytes.withUnsafeBufferPointer { input in
            var nextIn = input.baseAddress
            var left = input.count
            while true {
                var space = 0
                guard
                    BrotliEncoderCompressStream(
                        encoder,
                        BROTLI_OPERATION_FINISH,
                        &left,
                        &nextIn,
                        &space,
                        nil,
                        nil
                    ) != 0
                else { throw ContentCoder.Problem.noEncoder(.br) }
                while BrotliEncoderHasMoreOutput(encoder) != 0 {
                    var count = 0
                    guard let piece = BrotliEncoderTakeOutput(encoder, &count), count > 0 else { break }
                    guard take(UnsafeBufferPointer(start: piece, count: count)) else { return false }
                }
                if BrotliEncoderIsFinished(encoder) != 0 { return true }
            }
        }
    }

    /// Returns the size of the window that a stream begins with, as a power of two (RFC 7932 section 9.1).
    static func window(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return nil }
        if first & 1 == 0 { return 16 }
        let next = Int(first >> 1 & 7)
        if next != 0 { return 17 + next }
        let last = Int(first >> 4 & 7)
        switch last {
        case 0: return 17
        case 1: return nil
        default: return 8 + last
        }
    }
}
