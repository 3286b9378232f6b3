import TapedeckCodings
import TapedeckCore
import TapedeckYAML

/// The parameters of zlib as a cassette has them, with the header of gzip.
struct DeflateEntry: Sendable {
    var parameters = DeflateParameters()
    var header = GzipHeader()
    var isBare = false
}

extension CassetteGrammar {
    static let gzip = Mapping<DeflateEntry>("gzip", "a coding") {
        Self.deflateKeys
        Key("name", \.header.name, .latin1)
            .means(headerMeaning)
        Key("time", \.header.time, .headerTime, usually: 0)
            .means(headerMeaning)
        Key("extraFlags", \.header.extraFlags, .byte)
            .means(headerMeaning)
        Key("system", \.header.system, .byte, usually: GzipHeader().system)
            .means(headerMeaning)
        Key("comment", \.header.comment, .latin1)
            .means(headerMeaning)
        Key("extra", \.header.extra, .extraField)
            .means(headerMeaning)
    }

    private static let headerMeaning =
        "`gzip`: `name`, `comment`, `time`, `system` (3), `extraFlags`, `extra` (base64) of its header (RFC 1952)"

    static let deflate = Mapping<DeflateEntry>("deflate", "a coding") {
        Self.deflateKeys
        Key("bare", \.isBare, .bool, usually: false)
            .means("`true`: without zlib's header and checksum")
    }

    @KeyList<DeflateEntry> private static var deflateKeys: [Key<DeflateEntry>] {
        Key("level", \.parameters.level, .integer(0...9), usually: DeflateParameters().level)
            .means("default 6")
        Key("memory", \.parameters.memory, .integer(1...9), usually: DeflateParameters().memory)
            .means("default 8")
        Key("window", \.parameters.window, .integer(9...15), usually: DeflateParameters().window)
            .means("default 15")
        Key("strategy", \.parameters.strategy, .word, usually: .standard)
            .means("zlib's strategy; default `standard`")
        Key("flushes", \.parameters.flushes, .flushes, usually: [])
            .means("up to 64 offsets in the decoded body")
    }

    static let brotli = Mapping<BrotliParameters>("br", "a coding") {
        Key("quality", \.quality, .integer(0...11), usually: BrotliParameters().quality)
            .means("default 5")
        Key("window", \.window, .integer(10...24), usually: BrotliParameters().window)
            .means("default 22")
    }

    static let zstd = Mapping<ZstdParameters>("zstd", "a coding") {
        Key("level", \.level, .integer(-7...22), usually: ZstdParameters().level)
            .means("default 3")
        Key("checksum", \.hasChecksum, .bool, usually: false)
            .means("`true`: the frame has a checksum")
        Key("size", \.saysSize, .bool, usually: true)
            .means("`false`: the frame does not say its size")
    }
}

extension Shape {
    static let encoding = Shape.oneOrList(
        .either([
            .words(ContentCoding.allCases.map(\.rawValue)), .pairs([("gzip", .mapping("gzip"))]),
            .pairs([("deflate", .mapping("deflate"))]), .pairs([("br", .mapping("br"))]),
            .pairs([("zstd", .mapping("zstd"))]),
        ])
    )
}

extension Codec where Value == [UInt8] {
    /// A text without zero bytes whose characters are bytes, as in a gzip header (RFC 1952 section 2.3.1).
    fileprivate static var latin1: Self {
        Codec(
            read: { reader, node, name in
                guard let text = reader.text(node, name, allowsEmpty: true) else { return nil }
                let bytes = ByteText.bytes(of: text)
                guard !bytes.contains(0) else {
                    reader.error(node, "`\(name)` holds no zero bytes")
                    return nil
                }
                return bytes
            },
            text: { ByteText.string(from: $0) }
        )
    }

    fileprivate static var extraField: Self {
        Codec(
            .text,
            read: { reader, node, _ in reader.readBase64(node).flatMap { $0.count <= 0xFFFF ? $0 : nil } },
            inline: { $0.yaml.scalar(Base64.encode($1)) }
        )
    }
}

extension Codec where Value == UInt8 {
    fileprivate static var byte: Self {
        Codec(
            .integer(0...255),
            read: { $0.count($1, $2, 0...255).map { UInt8($0) } },
            inline: { $0.yaml.int(Int($1)) }
        )
    }
}

extension Codec where Value == UInt32 {
    fileprivate static var headerTime: Self {
        Codec(
            read: { reader, node, name in
                let time = reader.text(node, name).flatMap { Instant(rfc3339: $0) }
                if let time, let seconds = UInt32(exactly: time.milliseconds / 1_000) { return seconds }
                reader.error(node, "`time` is a time such as 2026-11-21T09:30:00Z, from 1970 to 2106")
                return nil
            },
            text: { Instant(seconds: Int64($0)).rfc3339 }
        )
    }
}

extension Codec where Value == [Int] {
    fileprivate static var flushes: Self {
        Codec(
            .oneOrList(.integer(0...Int(Int32.max))),
            read: { reader, node, name in
                guard let items = reader.listItems(node, name) else { return nil }
                let flushes = items.compactMap { reader.count($0, name, 0...Int(Int32.max)) }
                if flushes == flushes.sorted() { return flushes }
                reader.error(node, "`flushes` are offsets in ascending order")
                return nil
            },
            inline: { $0.flowList($1) { $0.yaml.int($1) } }
        )
    }
}

extension CassetteWriter {
    mutating func write(_ layers: [CodingRecipe]) {
        if layers.count == 1 {
            let recipe = layers[0]
            if recipe == CodingRecipe(recipe.coding) {
                self.inline { $0.yaml.scalar(recipe.coding.rawValue) }
            } else {
                self.block { $0.write(recipe) }
            }
        } else {
            self.items(layers) { writer, recipe in
                if recipe == CodingRecipe(recipe.coding) {
                    writer.line { $0.yaml.scalar(recipe.coding.rawValue) }
                } else {
                    writer.write(recipe)
                }
            }
        }
    }

    /// A coding and those of its parameters that are not the usual ones.
    private mutating func write(_ recipe: CodingRecipe) {
        self.key(recipe.coding.rawValue)
        self.block { writer in
            switch recipe {
            case .gzip(let parameters, let header):
                writer.write(DeflateEntry(parameters: parameters, header: header), by: CassetteGrammar.gzip)
            case .deflate(let parameters, let isBare):
                writer.write(DeflateEntry(parameters: parameters, isBare: isBare), by: CassetteGrammar.deflate)
            case .br(let parameters): writer.write(parameters, by: CassetteGrammar.brotli)
            case .zstd(let parameters): writer.write(parameters, by: CassetteGrammar.zstd)
            }
        }
    }
}

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
        guard let coding = self.choice(key, "encoding", ContentCoding.allCases) else { return nil }
        return self.readRecipe(of: coding, value)
    }

    private mutating func readRecipe(of coding: ContentCoding, _ node: YAMLNode) -> CodingRecipe? {
        guard self.expectMapping(node, "`\(coding.rawValue)`") else { return nil }
        switch coding {
        case .gzip, .deflate:
            var entry = DeflateEntry()
            _ = self.read(node, by: coding == .gzip ? CassetteGrammar.gzip : CassetteGrammar.deflate, into: &entry)
            return coding == .gzip
                ? .gzip(entry.parameters, entry.header) : .deflate(entry.parameters, isBare: entry.isBare)
        case .br:
            var parameters = BrotliParameters()
            _ = self.read(node, by: CassetteGrammar.brotli, into: &parameters)
            return .br(parameters)
        case .zstd:
            var parameters = ZstdParameters()
            _ = self.read(node, by: CassetteGrammar.zstd, into: &parameters)
            return .zstd(parameters)
        }
    }
}
