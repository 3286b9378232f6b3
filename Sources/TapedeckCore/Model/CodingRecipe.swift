/// The parameters with which an encoder produces certain bytes.
package enum CodingRecipe: Sendable, Hashable {
    case gzip(DeflateParameters, GzipHeader)
    /// - Parameter isBare: whether the stream has no zlib header and checksum around it.
    case deflate(DeflateParameters, isBare: Bool)
    case br(BrotliParameters)
    case zstd(ZstdParameters)

    /// The recipe if nothing else is known.
    package init(_ coding: ContentCoding) {
        self =
            switch coding {
            case .gzip: .gzip(DeflateParameters(), GzipHeader())
            case .deflate: .deflate(DeflateParameters(), isBare: false)
            case .br: .br(BrotliParameters())
            case .zstd: .zstd(ZstdParameters())
            }
    }

    package var coding: ContentCoding {
        switch self {
        case .gzip: .gzip
        case .deflate: .deflate
        case .br: .br
        case .zstd: .zstd
        }
    }
}

/// The parameters of zlib's `deflateInit2`.
package struct DeflateParameters: Sendable, Hashable {
    package enum Strategy: String, Sendable, CaseIterable {
        case standard
        case filtered
        case huffman
        case rle
        case fixed
    }

    /// 0 to 9. Default 6.
    package var level = 6
    /// The memory level, 1 to 9. Default 8.
    package var memory = 8
    /// The size of the window as a power of two, 9 to 15. Default 15.
    package var window = 15
    package var strategy = Strategy.standard
    /// Offsets in the decoded body behind which the stream was flushed (`Z_SYNC_FLUSH`), ascending.
    package var flushes: [Int] = []

    package init() {}
}

/// The header of a gzip member (RFC 1952 section 2.3).
package struct GzipHeader: Sendable, Hashable {
    /// MTIME: seconds since 1970; 0 for none.
    package var time: UInt32 = 0
    /// XFL; `nil` for what zlib writes with the level: 2 with 9, 4 with 1 or 0, else 0.
    package var extraFlags: UInt8?
    /// OS. Default 3, Unix.
    package var system: UInt8 = 3
    package var extra: [UInt8]?
    /// Without the zero byte at its end, as the comment.
    package var name: [UInt8]?
    package var comment: [UInt8]?

    package init() {}
}

/// The parameters of a br encoder.
package struct BrotliParameters: Sendable, Hashable {
    /// 0 to 11. Default 5.
    package var quality = 5
    /// The size of the window as a power of two, 10 to 24. Default 22.
    package var window = 22

    package init() {}
}

/// The parameters of a zstd encoder.
package struct ZstdParameters: Sendable, Hashable {
    /// -7 to 22, without 0. Default 3.
    package var level = 3
    /// True if a checksum of the content follows it.
    package var hasChecksum = false
    /// True if the frame says how long its content is, which the encoder then knows from the start.
    package var saysSize = true

    package init() {}
}
