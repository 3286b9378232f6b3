import TapedeckCodings
import TapedeckCore
import TapedeckYAML

/// The content codings of bodies.
extension CassetteWriter {
    mutating func write(_ coding: BodyCoding, indent: Int) {
        if coding.layers.count == 1, let recipe = coding.layers.first {
            if recipe == CodingRecipe(recipe.coding) {
                self.pair("encoding", recipe.coding.rawValue, indent: indent)
            } else {
                self.key("encoding", indent: indent)
                self.write(recipe, indent: indent + 2)
            }
        } else {
            self.key("encoding", indent: indent)
            for recipe in coding.layers {
                if recipe == CodingRecipe(recipe.coding) {
                    self.yaml.indent(indent + 2)
                    self.yaml.raw("- ")
                    self.yaml.scalar(recipe.coding.rawValue)
                    self.yaml.newline()
                } else {
                    self.item(indent: indent + 2) { $0.write(recipe, indent: indent + 4) }
                }
            }
        }
        if case .file(let file) = coding.kept { self.pair("encoded", file.name, indent: indent) }
        if coding.isForAll { self.pair("keepsEncoding", true, indent: indent) }
    }

    /// A coding and those of its parameters that are not the usual ones.
    private mutating func write(_ recipe: CodingRecipe, indent: Int) {
        self.key(recipe.coding.rawValue, indent: indent)
        let inner = indent + 2
        switch recipe {
        case .gzip(let parameters, let header):
            self.write(parameters, indent: inner)
            if let name = header.name { self.pair("name", ByteText.string(from: name), indent: inner) }
            if header.time != 0 {
                self.pair("time", Instant(seconds: Int64(header.time)).rfc3339, indent: inner)
            }
            if let flags = header.extraFlags { self.pair("extraFlags", Int(flags), indent: inner) }
            if header.system != GzipHeader().system { self.pair("system", Int(header.system), indent: inner) }
            if let comment = header.comment { self.pair("comment", ByteText.string(from: comment), indent: inner) }
            if let extra = header.extra {
                self.line("extra", indent: inner) { $0.yaml.scalar(Base64.encode(extra)) }
            }
        case .deflate(let parameters, let isBare):
            self.write(parameters, indent: inner)
            if isBare { self.pair("bare", true, indent: inner) }
        case .br(let parameters):
            let usual = BrotliParameters()
            if parameters.quality != usual.quality { self.pair("quality", parameters.quality, indent: inner) }
            if parameters.window != usual.window { self.pair("window", parameters.window, indent: inner) }
        case .zstd(let parameters):
            let usual = ZstdParameters()
            if parameters.level != usual.level { self.pair("level", parameters.level, indent: inner) }
            if parameters.hasChecksum { self.pair("checksum", true, indent: inner) }
            if !parameters.saysSize { self.pair("size", false, indent: inner) }
        }
    }

    private mutating func write(_ parameters: DeflateParameters, indent: Int) {
        let usual = DeflateParameters()
        if parameters.level != usual.level { self.pair("level", parameters.level, indent: indent) }
        if parameters.memory != usual.memory { self.pair("memory", parameters.memory, indent: indent) }
        if parameters.window != usual.window { self.pair("window", parameters.window, indent: indent) }
        if parameters.strategy != usual.strategy { self.pair("strategy", parameters.strategy.rawValue, indent: indent) }
        if !parameters.flushes.isEmpty {
            self.yaml.indent(indent)
            self.yaml.raw("flushes: [")
            for (number, flush) in parameters.flushes.enumerated() {
                if number > 0 { self.yaml.raw(", ") }
                self.yaml.int(flush)
            }
            self.yaml.raw("]\n")
        }
    }

    private mutating func pair(_ name: StaticString, _ value: Int, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(": ")
        self.yaml.int(value)
        self.yaml.newline()
    }

    private mutating func pair(_ name: StaticString, _ value: Bool, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(value ? ": true\n" : ": false\n")
    }
}
