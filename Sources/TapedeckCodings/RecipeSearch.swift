package import TapedeckCore

/// Finds the encoder parameters that reproduce a coded body exactly.
///
/// Tries the likely ones: those of the last body of the same kind, then those that the stream's header suggests, then
/// the encoders' other options. The work for each body is bounded, and kinds of streams that no parameters reproduce
/// are not searched for long. Not for an event loop.
package final class RecipeSearch {
    /// Larger bodies are not packed again to see whether they come out the same. In bytes.
    private static let sizeLimit = 16 << 20
    /// The approximate number of bytes that all attempts at one body process at most.
    private static let effort = 8 << 20
    /// The approximate number of bytes of a large body that a failing attempt processes: to the end of its first block.
    private static let attemptSize = 128 << 10
    /// Streams of a kind that are searched in full without success before others of the kind are not.
    private static let patience = 3

    private var found: [RecipeKind: CodingRecipe] = [:]
    private var failures: [RecipeKind: Int] = [:]

    package init() {}

    /// Returns the recipe that gives the coded bytes, or else the one that comes nearest: with the header and the level
    /// that the stream seems to have.
    ///
    /// - Parameters:
    ///   - coded: a whole stream.
    ///   - content: what it decodes to.
    package func recipe(
        for coded: [UInt8],
        of content: [UInt8],
        _ coding: ContentCoding
    ) -> (recipe: CodingRecipe, isExact: Bool) {
        let hints = CodingHints(coded, of: content, coding)
        var nearest = hints.nearest
        if let last = self.found[hints.kind] { nearest = hints.adopting(last) }
        guard content.count <= Self.sizeLimit, hints.isSearchable else { return (nearest, false) }
        if self.found[hints.kind] != nil, Self.gives(coded, content, nearest).isExact { return (nearest, true) }
        guard self.failures[hints.kind, default: 0] < Self.patience else { return (nearest, false) }
        var effort = Self.effort
        for candidate in hints.candidates(size: content.count) where effort > 0 {
            let (isExact, matched) = Self.gives(coded, content, candidate)
            if isExact {
                self.found[hints.kind] = candidate
                return (candidate, true)
            }
            effort -= min(content.count, Self.attemptSize) + 4 * matched
        }
        self.failures[hints.kind, default: 0] += 1
        return (nearest, false)
    }

    /// Returns the recipes for codings on top of each other, the first one first.
    ///
    /// - Throws: `ContentCoder.Problem` when they cannot be undone within `limit` bytes.
    package func recipes(
        for coded: [UInt8],
        _ codings: [ContentCoding],
        limit: Int
    ) throws -> (layers: [CodingRecipe], isExact: Bool) {
        var coded = coded
        var layers: [CodingRecipe] = []
        var isExact = true
        for coding in codings.reversed() {
            let content = try ContentCoder.decode(coded, coding, limit: limit)
            let found = self.recipe(for: coded, of: content, coding)
            layers.insert(found.recipe, at: 0)
            isExact = isExact && found.isExact
            coded = content
        }
        return (layers, isExact)
    }

    /// Returns true if a recipe gives the coded bytes, and the number of bytes that matched.
    private static func gives(
        _ coded: [UInt8],
        _ content: [UInt8],
        _ recipe: CodingRecipe
    ) -> (isExact: Bool, matched: Int) {
        var matched = 0
        let isWhole = try? coded.withUnsafeBufferPointer { coded in
            try ContentCoder.encode(content, recipe) { piece in
                guard matched + piece.count <= coded.count,
                    coded[matched..<(matched + piece.count)].elementsEqual(piece)
                else { return false }
                matched += piece.count
                return true
            }
        }
        return (isWhole == true && matched == coded.count, matched)
    }
}

/// The kind of a stream as far as its first bytes tell: those of one server's encoder are mostly of one kind.
struct RecipeKind: Hashable {
    let coding: ContentCoding
    let start: [UInt8]
}

/// Hints in a coded stream about how it was made.
struct CodingHints {
    let kind: RecipeKind
    /// The recipe as far as the stream tells it.
    let nearest: CodingRecipe
    /// True if any recipe can give it.
    let isSearchable: Bool
    private let deflate: DeflateHints?

    init(_ coded: [UInt8], of content: [UInt8], _ coding: ContentCoding) {
        var deflate: DeflateHints?
        var isSearchable = true
        switch coding {
        case .gzip, .deflate:
            let hints = DeflateHints(coded, of: content, coding)
            deflate = hints
            isSearchable = hints.isSearchable
            self.kind = RecipeKind(coding: coding, start: hints.kind)
            self.nearest = hints.nearest
        case .br:
            var parameters = BrotliParameters()
            let window = BrotliCoder.window(coded)
            parameters.window = window ?? parameters.window
            isSearchable = window != nil
            self.kind = RecipeKind(coding: coding, start: [UInt8(parameters.window)])
            self.nearest = .br(parameters)
        case .zstd:
            var parameters = ZstdParameters()
            let header = ZstdCoder.header(coded)
            parameters.hasChecksum = header?.hasChecksum ?? false
            parameters.saysSize = header?.saysSize ?? true
            isSearchable = header != nil
            self.kind = RecipeKind(
                coding: coding,
                start: [parameters.hasChecksum ? 1 : 0, parameters.saysSize ? 1 : 0]
            )
            self.nearest = .zstd(parameters)
        }
        self.deflate = deflate
        self.isSearchable = isSearchable
    }

    /// The recipe with what this stream says of itself and what another of the kind was made with.
    func adopting(_ other: CodingRecipe) -> CodingRecipe {
        switch (self.nearest, other) {
        case (.gzip, .gzip(let parameters, _)), (.deflate, .deflate(let parameters, _)):
            return self.deflate?.recipe(parameters) ?? self.nearest
        case (.br(var parameters), .br(let last)):
            parameters.quality = last.quality
            return .br(parameters)
        case (.zstd(var parameters), .zstd(let last)):
            parameters.level = last.level
            return .zstd(parameters)
        default:
            return self.nearest
        }
    }

    /// Recipes to try, the likely ones first.
    func candidates(size: Int) -> [CodingRecipe] {
        switch self.nearest {
        case .gzip, .deflate:
            return self.deflate.map { hints in hints.candidates(size: size).map(hints.recipe) } ?? []
        case .br(var parameters):
            guard size <= 1 << 20 else { return [] }
            // The two best ones take a hundred times as long as the usual ones.
            let best = size <= 64 << 10 ? [11, 10] : []
            return ([5, 6, 4, 1] + best.prefix(1) + [9, 3, 2, 7, 8, 0] + best.dropFirst()).map { quality in
                parameters.quality = quality
                return .br(parameters)
            }
        case .zstd(var parameters):
            guard size <= 1 << 20 else { return [] }
            var levels = [3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -2, -3, -4, -5]
            // Without the size these take hundreds of megabytes.
            if parameters.saysSize, size <= 128 << 10 { levels.insert(contentsOf: [19, 22, 15], at: 2) }
            if parameters.saysSize, size <= 128 << 10 { levels += [13, 14, 16, 17, 18, 20, 21] }
            return levels.map { level in
                parameters.level = level
                return .zstd(parameters)
            }
        }
    }
}
