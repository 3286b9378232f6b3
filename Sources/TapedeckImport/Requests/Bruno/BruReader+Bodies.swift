import TapedeckCore

extension BruReader {
    /// The bodies of a request file, of which its mode selects one.
    struct Bodies {
        private var texts: [String: String] = [:]
        private var form: [BrunoField] = []
        private var parts: [BrunoPart] = []
        private var files: [BrunoPart] = []
        /// The mode of the last body.
        private(set) var lastMode: String?

        /// Reads a block of a body.
        mutating func take(_ name: String, rest: String, from text: inout BruText) throws(LeftOut) {
            let kind = name == "body" ? "json" : String(name.dropFirst(5))
            switch kind {
            case "form-urlencoded":
                self.form += BruReader.fields(try text.pairs(rest: rest))
                self.lastMode = "formUrlEncoded"
            case "multipart-form":
                self.parts += try text.pairs(rest: rest).map(Self.part)
                self.lastMode = "multipartForm"
            case "file":
                self.files += try text.pairs(rest: rest).map(Self.part)
                self.lastMode = "file"
            case "graphql:vars":
                self.texts[kind] = try text.text(rest: rest).outdented
                self.lastMode = "graphql"
            default:
                self.texts[kind] = try text.text(rest: rest).outdented
                self.lastMode = kind
            }
        }

        /// Returns the body of a mode.
        func body(_ mode: String) -> BrunoBody {
            var body = BrunoBody(mode: mode)
            body.form = self.form
            body.parts = mode == "file" ? self.files : self.parts
            body.query = self.texts["graphql"] ?? ""
            body.variables = self.texts["graphql:vars"] ?? ""
            body.text = self.texts[mode] ?? ""
            return body
        }

        /// Returns a part: a text, or `@file(path|path)`, with `@contentType(type)` behind it.
        private static func part(_ pair: BruText.Pair) -> BrunoPart {
            var part = BrunoPart(name: pair.name, value: pair.value, isEnabled: pair.isEnabled)
            if part.value.hasSuffix(")"), let mark = part.value.ranges(of: "@contentType(").last {
                part.type = String(part.value[mark.upperBound...].dropLast())
                part.value = RequestText.trimmed(part.value[..<mark.lowerBound])
            }
            if part.value.hasPrefix("@file("), part.value.hasSuffix(")") {
                part.files = part.value.dropFirst(6).dropLast().split(separator: "|").map { RequestText.trimmed($0) }
            }
            return part
        }
    }
}
