import TapedeckCodings
import TapedeckCore
import TestShare
import Testing

/// Bodies that were packed by other programs are packed again to the same bytes.
@Suite
struct RecipeSearchTests {
    private static let text = Array(
        (0..<400).map { "{\"id\":\($0),\"name\":\"item \($0 &* 2_654_435_761 % 977)\"}" }.joined(separator: ",").utf8
    )

    private static func gzip(_ change: (inout DeflateParameters, inout GzipHeader) -> Void) -> CodingRecipe {
        var parameters = DeflateParameters()
        var header = GzipHeader()
        change(&parameters, &header)
        return .gzip(parameters, header)
    }

    private static func expectFound(_ recipe: CodingRecipe, _ content: [UInt8] = Self.text) throws {
        let coded = try ContentCoder.encode(content, recipe)
        #expect(try ContentCoder.decode(coded, recipe.coding, limit: content.count) == content)
        let found = RecipeSearch().recipe(for: coded, of: content, recipe.coding)
        #expect(found.isExact, "\(recipe)")
        #expect(try ContentCoder.encode(content, found.recipe) == coded)
    }

    @Test(arguments: 0...9)
    func levelsOfGzipWithAndWithoutAName(_ level: Int) throws {
        try Self.expectFound(Self.gzip { parameters, _ in parameters.level = level })
        try Self.expectFound(
            Self.gzip { parameters, header in
                parameters.level = level
                header.name = Array("data.json".utf8)
                header.time = 1_795_255_200
                header.system = 255
                header.extraFlags = 0
            }
        )
    }

    @Test func flushesInTheMiddleAndAtTheEnd() throws {
        let count = Self.text.count
        for flushes in [[count / 3, count / 2], [7, 20], [count]] {
            try Self.expectFound(Self.gzip { parameters, _ in parameters.flushes = flushes })
            var parameters = DeflateParameters()
            parameters.flushes = flushes
            try Self.expectFound(.deflate(parameters, isBare: true))
            try Self.expectFound(.deflate(parameters, isBare: false))
        }
    }

    @Test(arguments: [9, 12, 15])
    func windowsMemoryAndStrategiesOfDeflate(_ window: Int) throws {
        for strategy in DeflateParameters.Strategy.allCases {
            for memory in [8, 9] {
                var parameters = DeflateParameters()
                parameters.window = window
                parameters.memory = memory
                parameters.strategy = strategy
                try Self.expectFound(.deflate(parameters, isBare: false))
            }
        }
    }

    @Test(arguments: [0, 1, 4, 5, 6, 9, 11])
    func qualitiesAndWindowsOfBrotli(_ quality: Int) throws {
        // The fastest two write a window of 18 at least.
        for window in quality < 2 ? [18, 22, 24] : [10, 18, 22, 24] {
            var parameters = BrotliParameters()
            parameters.quality = quality
            parameters.window = window
            try Self.expectFound(.br(parameters))
        }
    }

    @Test(arguments: [1, 3, 9, 12])
    func levelsOfZstdWithAndWithoutSizeAndChecksum(_ level: Int) throws {
        for (saysSize, hasChecksum) in [(true, true), (true, false), (false, true), (false, false)] {
            var parameters = ZstdParameters()
            parameters.level = level
            parameters.saysSize = saysSize
            parameters.hasChecksum = hasChecksum
            try Self.expectFound(.zstd(parameters))
        }
    }

    /// Without matching parameters the search says so, and the nearest ones keep the header.
    @Test func severalMembersHaveNoRecipe() throws {
        let recipe = Self.gzip { _, header in header.name = Array("a".utf8) }
        let coded = try ContentCoder.encode([1, 2, 3], recipe) + ContentCoder.encode([4, 5], recipe)
        let content = try ContentCoder.decode(coded, .gzip, limit: 10)
        #expect(content == [1, 2, 3, 4, 5])
        let found = RecipeSearch().recipe(for: coded, of: content, .gzip)
        #expect(!found.isExact)
        #expect(found.recipe == recipe)
    }

    @Test func codingsOnTopOfEachOtherHaveARecipeEach() throws {
        let layers = [Self.gzip { parameters, _ in parameters.level = 9 }, CodingRecipe(.br), CodingRecipe(.gzip)]
        let coded = try ContentCoder.encode(Self.text, layers)
        let codings = layers.map(\.coding)
        #expect(try ContentCoder.decode(coded, codings, limit: 1 << 20) == Self.text)
        let found = try RecipeSearch().recipes(for: coded, codings, limit: 1 << 20)
        #expect(found.isExact)
        #expect(try ContentCoder.encode(Self.text, found.layers) == coded)
    }

    /// RFC 8878 section 3.1.2: skippable frames may be between others.
    @Test func framesOfZstdFollowEachOther() throws {
        let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]
        let coded = try ContentCoder.encode([1, 2], .zstd) + skippable + ContentCoder.encode([3], .zstd)
        #expect(try ContentCoder.decode(coded, .zstd, limit: 10) == [1, 2, 3])
    }

    @Test(arguments: seeds(60))
    func randomContentAndParameters(_ seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let alphabet = 1 + random(255)
        let content = (0..<random(5_000)).map { _ in UInt8(random(alphabet)) }
        var parameters = DeflateParameters()
        parameters.level = 1 + random(9)
        parameters.memory = 8 + random(2)
        var header = GzipHeader()
        header.time = UInt32(random(1 << 30))
        header.comment = random(2) == 0 ? nil : [UInt8](repeating: 0x41, count: random(20))
        header.extra = random(2) == 0 ? nil : [UInt8](repeating: 0, count: random(20))
        try Self.expectFound(.gzip(parameters, header), content)
        try Self.expectFound(.deflate(parameters, isBare: random(2) == 0), content)
    }
}
