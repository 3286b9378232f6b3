import TapedeckCore

/// Hints in a gzip or deflate stream about how it was made.
struct DeflateHints {
    /// More flushes than this are not noted.
    private static let flushLimit = 64

    /// The first bytes that streams of one encoder have in common.
    let kind: [UInt8]
    let isSearchable: Bool
    private let coding: ContentCoding
    private let header: GzipHeader?
    private let zlib: ZlibHeader?
    private let flushes: [Int]

    init(_ coded: [UInt8], of decoded: [UInt8], _ coding: ContentCoding) {
        self.coding = coding
        var content = coded[...]
        // With several members, the last one gives only its own length (RFC 1952 section 2.3.1).
        let isOneMember = coding != .gzip || coded.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) } == decoded.count
        switch coding {
        case .gzip:
            let read = GzipHeader.read(coded)
            self.header = read?.header
            self.zlib = nil
            self.kind = read.map { [$0.header.extraFlags ?? 0, $0.header.system] } ?? []
            content = coded.dropFirst(read?.length ?? coded.count).dropLast(8)
        default:
            self.header = nil
            self.zlib = ZlibHeader(coded)
            self.kind = self.zlib == nil ? [] : Array(coded.prefix(2))
            if self.zlib != nil { content = coded.dropFirst(2).dropLast(4) }
        }
        let flushes = content.isEmpty || !isOneMember ? nil : Inflating.flushes(content, limit: Self.flushLimit)
        self.flushes = flushes ?? []
        self.isSearchable = flushes != nil && (coding != .gzip || self.header != nil)
    }

    var nearest: CodingRecipe {
        var parameters = DeflateParameters()
        parameters.level = self.levels[0]
        parameters.window = self.window
        return self.recipe(parameters)
    }

    /// The recipe with these parameters, as far as they are not this stream's own.
    func recipe(_ parameters: DeflateParameters) -> CodingRecipe {
        var parameters = parameters
        parameters.flushes = self.flushes
        if self.coding == .gzip {
            return .gzip(parameters, (self.header ?? GzipHeader()).simplified(for: parameters))
        }
        return .deflate(parameters, isBare: self.zlib == nil)
    }

    private var window: Int { max(9, self.zlib?.window ?? 15) }

    /// The levels in the order of their likelihood.
    private var levels: [Int] {
        if let zlib = self.zlib {
            // zlib writes the speed by the level, and with a strategy of its own always the fastest.
            return switch zlib.speed {
            case 0: [1, 0, 6, 2, 3, 4, 5, 7, 8, 9]
            case 1: [5, 4, 3, 2]
            case 2: [6]
            default: [9, 8, 7]
            }
        }
        return switch self.header?.extraFlags {
        case 2: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        case 4: [1, 0, 2, 3, 4, 5, 6, 7, 8, 9]
        default: [6, 1, 5, 4, 9, 3, 2, 7, 8, 0]
        }
    }

    func candidates(size: Int) -> [DeflateParameters] {
        var candidates: [DeflateParameters] = []
        func add(memory: Int, window: Int, strategy: DeflateParameters.Strategy = .standard, levels: [Int]) {
            for level in levels {
                var parameters = DeflateParameters()
                parameters.level = level
                parameters.memory = memory
                parameters.window = window
                parameters.strategy = strategy
                candidates.append(parameters)
            }
        }
        let (window, levels) = (self.window, self.levels)
        add(memory: 8, window: window, levels: levels)
        add(memory: 9, window: window, levels: levels)
        if self.coding == .gzip, let (window, memory) = Self.nginx(size: size) {
            add(memory: memory, window: window, levels: levels)
        }
        for memory in [8, 9] {
            // With these, zlib does not search for matches, so the level changes only the header.
            let level = levels.contains(6) ? 6 : levels[0]
            for strategy in [DeflateParameters.Strategy.huffman, .rle] {
                add(memory: memory, window: window, strategy: strategy, levels: [level])
            }
        }
        for strategy in [DeflateParameters.Strategy.filtered, .fixed] {
            for memory in [8, 9] { add(memory: memory, window: window, strategy: strategy, levels: levels) }
        }
        if self.zlib == nil {
            // A smaller window shows only in bodies that are larger than it.
            for window in stride(from: 14, through: 9, by: -1) where size > 1 << window - 262 {
                for memory in [8, 9] { add(memory: memory, window: window, levels: levels) }
            }
        }
        for memory in stride(from: 7, through: 1, by: -1) { add(memory: memory, window: window, levels: levels) }
        return candidates
    }

    /// nginx takes a smaller window and less memory for a body that is small, if its length is known; `nil` for others.
    private static func nginx(size: Int) -> (window: Int, memory: Int)? {
        var (window, memory) = (15, 8)
        while window > 9, size < 1 << (window - 1) - 262 {
            window -= 1
            memory = max(1, memory - 1)
        }
        return window == 15 ? nil : (window, memory)
    }
}
