/// The content codings that a body had on the wire, and what is known of how they were put on.
package struct BodyCoding: Sendable, Equatable {
    /// In the order in which they are put on, as Content-Encoding lists them (RFC 9110 section 8.4). Never empty.
    package var layers: [CodingRecipe]
    /// The coded bytes as recorded, if no parameters reproduce them. They are played as long as they decode to the
    /// body; an edited body is coded again.
    package var kept: KeptBytes?
    /// True if every client gets the body coded, because the recorded request had not offered the codings.
    package var isForAll: Bool

    package init(layers: [CodingRecipe], kept: KeptBytes? = nil, isForAll: Bool = false) {
        precondition(!layers.isEmpty, "a coding has at least one layer")
        self.layers = layers
        self.kept = kept
        self.isForAll = isForAll
    }

    /// The codings as Tapedeck applies them if nothing else is known.
    package init(_ codings: [ContentCoding]) {
        self.init(layers: codings.map { CodingRecipe($0) })
    }

    package static let gzip = BodyCoding([.gzip])
    package static let deflate = BodyCoding([.deflate])
    package static let br = BodyCoding([.br])
    package static let zstd = BodyCoding([.zstd])

    package var codings: [ContentCoding] { self.layers.map(\.coding) }

    /// The value of Content-Encoding that says them.
    package var fieldValue: String { self.layers.map(\.coding.rawValue).joined(separator: ", ") }
}

/// Coded bytes, kept as received.
package indirect enum KeptBytes: Sendable, Equatable {
    case file(BodyFile)
    /// For a cassette whose files are in memory.
    case bytes([UInt8])
}
