import TapedeckCodings
import TapedeckCore
import TapedeckYAML

/// The content codings of bodies.
extension CassetteReader {
    /// Reads `encoding`: a coding, or a mapping with its parameters, or a list of those in the order in which they are put
    /// on.
    mutating func readEncoding(_ node: YAMLNode) -> [CodingRecipe]? {
        guard node.kind == .sequence else { return self.readRecipe(node).map { [$0] } }
        let layers = node.items.compactMap { self.readRecipe($0) }
        guard !layers.isEmpty, layers.count <= ContentCoding.depthLimit else {
            self.error(node, "`encoding` has one to \(ContentCoding.depthLimit) codings")
            return nil
        }
        return layers
    }

    private mutating func readRecipe(_ node: YAMLNode) -> CodingRecipe? {
        let pairs = node.kind == .mapping ? Array(node.pairs) : []
        guard pairs.count == 1, let (key, value) = pairs.first else {
            return self.choice(node, "encoding", ContentCoding.allCases).map { CodingRecipe($0) }
        }
        guard let coding = self.choice(key, "encoding", ContentCoding.allCases),
            self.expectMapping(value, "`\(coding.rawValue)`")
        else { return nil }
        switch coding {
        case .gzip: return self.readGzip(value)
        case .deflate: return self.readDeflate(value)
        case .br: return self.readBrotli(value)
        case .zstd: return self.readZstd(value)
        }
    }

    private mutating func readGzip(_ node: YAMLNode) -> CodingRecipe {
        var parameters = DeflateParameters()
        var header = GzipHeader()
        for (key, value) in node.pairs {
            switch key.string {
            case "name": header.name = self.latin1(value, "name")
            case "comment": header.comment = self.latin1(value, "comment")
            case "extra": header.extra = self.readBase64(value).flatMap { $0.count <= 0xFFFF ? $0 : nil }
            case "time":
                let time = self.text(value, "time").flatMap { Instant(rfc3339: $0) }
                if let time, let seconds = UInt32(exactly: time.milliseconds / 1_000) {
                    header.time = seconds
                } else {
                    self.error(value, "`time` is a time such as 2026-11-21T09:30:00Z, from 1970 to 2106")
                }
            case "extraFlags": header.extraFlags = UInt8(self.number(value, "extraFlags", 0...255))
            case "system": header.system = UInt8(self.number(value, "system", 0...255))
            default: self.read(key, value, into: &parameters, CassetteKeys.gzip)
            }
        }
        return .gzip(parameters, header)
    }

    private mutating func readDeflate(_ node: YAMLNode) -> CodingRecipe {
        var parameters = DeflateParameters()
        var isBare = false
        for (key, value) in node.pairs {
            if key.scalarEquals("bare") {
                isBare = self.bool(value, "bare")
            } else {
                self.read(key, value, into: &parameters, CassetteKeys.deflate)
            }
        }
        return .deflate(parameters, isBare: isBare)
    }

    private mutating func read(
        _ key: YAMLNode,
        _ value: YAMLNode,
        into parameters: inout DeflateParameters,
        _ keys: [String]
    ) {
        switch key.string {
        case "level": parameters.level = self.number(value, "level", 0...9)
        case "memory": parameters.memory = self.number(value, "memory", 1...9)
        case "window": parameters.window = self.number(value, "window", 9...15)
        case "strategy":
            if let strategy = self.choice(value, "strategy", DeflateParameters.Strategy.allCases) {
                parameters.strategy = strategy
            }
        case "flushes":
            guard let items = self.listItems(value, "flushes") else { return }
            parameters.flushes = items.map { self.number($0, "flushes", 0...Int(Int32.max)) }
            if parameters.flushes != parameters.flushes.sorted() {
                self.error(value, "`flushes` are offsets in ascending order")
                parameters.flushes = []
            }
        default: self.unknown(key, keys, of: "a coding")
        }
    }

    private mutating func readBrotli(_ node: YAMLNode) -> CodingRecipe {
        var parameters = BrotliParameters()
        for (key, value) in node.pairs {
            switch key.string {
            case "quality": parameters.quality = self.number(value, "quality", 0...11)
            case "window": parameters.window = self.number(value, "window", 10...24)
            default: self.unknown(key, CassetteKeys.br, of: "a coding")
            }
        }
        return .br(parameters)
    }

    private mutating func readZstd(_ node: YAMLNode) -> CodingRecipe {
        var parameters = ZstdParameters()
        for (key, value) in node.pairs {
            switch key.string {
            case "level": parameters.level = self.number(value, "level", -7...22)
            case "checksum": parameters.hasChecksum = self.bool(value, "checksum")
            case "size": parameters.saysSize = self.bool(value, "size")
            default: self.unknown(key, CassetteKeys.zstd, of: "a coding")
            }
        }
        return .zstd(parameters)
    }

    // MARK: Values

    /// A text without zero bytes whose characters are bytes, as in a gzip header (RFC 1952 section 2.3.1).
    private mutating func latin1(_ node: YAMLNode, _ what: String) -> [UInt8]? {
        guard let text = self.text(node, what, allowsEmpty: true) else { return nil }
        let bytes = ByteText.bytes(of: text)
        guard !bytes.contains(0) else {
            self.error(node, "`\(what)` holds no zero bytes")
            return nil
        }
        return bytes
    }

    private mutating func number(_ node: YAMLNode, _ what: String, _ range: ClosedRange<Int>) -> Int {
        if node.kind == .scalar, let number = Int(node.string), range.contains(number) { return number }
        self.error(node, "`\(what)` is a number from \(range.lowerBound) to \(range.upperBound)")
        return range.lowerBound
    }
}
