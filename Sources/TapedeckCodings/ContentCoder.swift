package import TapedeckCore

/// Puts content codings on bodies and takes them off.
package enum ContentCoder {
    package enum Problem: Error, CustomStringConvertible {
        case corrupt(ContentCoding)
        case tooLarge(limit: Int)
        /// A zstd stream that was made with a dictionary, which HTTP has no way to name (RFC 8878 section 5).
        case needsDictionary
        /// The library has no memory for it.
        case noEncoder(ContentCoding)

        package var description: String {
            switch self {
            case .corrupt(let coding): "the body is no complete \(coding.rawValue) stream"
            case .tooLarge(let limit): "the decoded body is larger than \(limit) bytes"
            case .needsDictionary: "the body is a zstd stream that needs a dictionary"
            case .noEncoder(let coding): "the \(coding.rawValue) encoder cannot be set up"
            }
        }
    }

    /// The state of a coded stream at its end.
    package enum End: Sendable, Equatable {
        case whole
        /// Before it is complete.
        case brokenOff
        /// Followed by bytes that are not part of it.
        case followed(by: [UInt8])
    }

    // MARK: Decoding

    /// - Throws: ``Problem`` if the stream is damaged, continues after its end, or unpacks to more than `limit` bytes.
    package static func decode(_ bytes: [UInt8], _ coding: ContentCoding, limit: Int) throws -> [UInt8] {
        let (content, end) = try self.decodeStart(bytes, coding, limit: limit)
        guard end == .whole else { throw Problem.corrupt(coding) }
        return content
    }

    /// Decodes nested codings, the last one first.
    ///
    /// - Throws: ``Problem``, as for a single one; `limit` applies to each.
    package static func decode(_ bytes: [UInt8], _ codings: [ContentCoding], limit: Int) throws -> [UInt8] {
        try codings.reversed().reduce(bytes) { try self.decode($0, $1, limit: limit) }
    }

    /// Returns the body of a message without the codings, and chunks of AWS's SDKs, that its fields name: as it is where a
    /// coding is unknown, or cannot be undone within `limit` bytes.
    package static func decoded(_ bytes: [UInt8], _ fields: [HeaderField], limit: Int) -> [UInt8] {
        let bytes = AWSChunks.content(bytes, fields)
        guard let codings = ContentCoding.all(of: fields), !codings.isEmpty else { return bytes }
        return (try? self.decode(bytes, codings, limit: limit)) ?? bytes
    }

    /// Returns all that can be unpacked of a stream, and how it ends. A gzip stream may have several members, a zstd
    /// stream several frames; both follow each other.
    ///
    /// - Throws: ``Problem`` when it unpacks to more than `limit` bytes, or needs a dictionary.
    package static func decodeStart(
        _ bytes: [UInt8],
        _ coding: ContentCoding,
        limit: Int
    ) throws -> (content: [UInt8], end: End) {
        switch coding {
        case .gzip, .deflate: try Inflating.decode(bytes, coding, limit: limit)
        case .br: try BrotliCoder.decode(bytes, limit: limit)
        case .zstd: try ZstdCoder.decode(bytes, limit: limit)
        }
    }

    // MARK: Encoding

    /// Encodes with the parameters that are used if nothing else is known.
    package static func encode(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        try self.encode(bytes, CodingRecipe(coding))
    }

    /// The bytes and a recipe always give the same stream, as long as the libraries stay what they are.
    package static func encode(_ bytes: [UInt8], _ recipe: CodingRecipe) throws -> [UInt8] {
        var output: [UInt8] = []
        let status = try self.encode(bytes, recipe) { piece in
            output.append(contentsOf: piece)
            return true
        }
        guard status else { throw Problem.noEncoder(recipe.coding) }
        return output
    }

    /// Puts codings on top of each other, the first one first.
    package static func encode(_ bytes: [UInt8], _ layers: [CodingRecipe]) throws -> [UInt8] {
        try layers.reduce(bytes) { try self.encode($0, $1) }
    }

    /// Hands the stream over piece by piece, until `take` says no.
    ///
    /// - Returns: whether all of it was taken.
    /// - Throws: ``Problem/noEncoder(_:)``.
    static func encode(
        _ bytes: [UInt8],
        _ recipe: CodingRecipe,
        _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws -> Bool {
        switch recipe {
        case .gzip(let parameters, let header):
            try Deflating.gzip(bytes, parameters, header, take)
        case .deflate(let parameters, let isBare):
            try Deflating.deflate(bytes, parameters, isBare: isBare, take)
        case .br(let parameters):
            try BrotliCoder.encode(bytes, parameters, take)
        case .zstd(let parameters):
            try ZstdCoder.encode(bytes, parameters, take)
        }
    }
}
