/// Reads a JSONPath by the grammar of RFC 9535, appendix A.
struct JSONPathParser {
    /// The maximum nesting of brackets, so that no path can exhaust the stack.
    private static let depthLimit = 64
    /// RFC 9535 section 2.1: indices are exact numbers in I-JSON.
    private static let indexLimit = 9_007_199_254_740_991

    private let scalars: [Unicode.Scalar]
    var index = 0
    private var depth = 0

    static func parse(_ source: String) throws(JSONPathError) -> [JSONPath.Segment] {
        var parser = JSONPathParser(scalars: Array(source.unicodeScalars))
        guard parser.take("$") else { throw parser.failure("a JSONPath begins with $, as in $.items[0].name") }
        let segments = try parser.segments()
        guard let rest = parser.current else { return segments }
        throw parser.failure("unexpected \"\(rest)\"; a path goes on with .name, [...] or ..")
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    // MARK: Segments

    mutating func segments() throws(JSONPathError) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        while true {
            let start = self.index
            self.skipSpace()
            guard let segment = try self.segment() else {
                self.index = start
                return segments
            }
            segments.append(segment)
        }
    }

    private mutating func segment() throws(JSONPathError) -> JSONPath.Segment? {
        if self.current == "[" { return JSONPath.Segment(isDescendant: false, selectors: try self.bracket()) }
        guard self.take(".") else { return nil }
        let isDescendant = self.take(".")
        if isDescendant, self.current == "[" {
            return JSONPath.Segment(isDescendant: true, selectors: try self.bracket())
        }
        if self.take("*") { return JSONPath.Segment(isDescendant: isDescendant, selectors: [.wildcard]) }
        return JSONPath.Segment(isDescendant: isDescendant, selectors: [.name(try self.plainName())])
    }

    private mutating func plainName() throws(JSONPathError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = self.current, Self.isNameScalar(scalar, first: name.isEmpty) {
            name.append(scalar)
            self.index += 1
        }
        guard !name.isEmpty else {
            throw self.failure("a name or * should be here; write other names in brackets, as in ['a-b']")
        }
        return String(name)
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": !first
        default: scalar.value >= 0x80
        }
    }

    private mutating func bracket() throws(JSONPathError) -> [JSONPath.Selector] {
        try self.enter()
        self.index += 1
        var selectors: [JSONPath.Selector] = []
        repeat {
            self.skipSpace()
            selectors.append(try self.selector())
            self.skipSpace()
        } while self.take(",")
        guard self.take("]") else { throw self.failure("a comma or ] is missing here") }
        self.leave()
        return selectors
    }

    private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
        switch self.current {
        case "'", "\"": return .name(try self.quoted())
        case "*":
            self.index += 1
            return .wildcard
        case "?":
            self.index += 1
            self.skipSpace()
            return .filter(try self.filter())
        default: return try self.indexOrSlice()
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> JSONPath.Selector {
        let start = try self.integer()
        let behindStart = self.index
        self.skipSpace()
        guard self.take(":") else {
            guard let start else {
                throw self.failure("a name in quotation marks, an index, a slice, * or ? should be here")
            }
            self.index = behindStart
            return .index(start)
        }
        self.skipSpace()
        let end = try self.integer()
        let behindEnd = self.index
        self.skipSpace()
        guard self.take(":") else {
            self.index = behindEnd
            return .slice(start: start, end: end, step: 1)
        }
        self.skipSpace()
        return .slice(start: start, end: end, step: try self.integer() ?? 1)
    }

    private mutating func integer() throws(JSONPathError) -> Int? {
        let start = self.index
        let isNegative = self.take("-")
        let digits = self.takeDigits()
        guard !digits.isEmpty || isNegative else { return nil }
        guard let value = Int(digits), value <= Self.indexLimit, digits == String(value), !isNegative || value > 0
        else {
            throw self.failure("this is no index: write 0, 12 or -1, without zeros in front", at: start)
        }
        return isNegative ? -value : value
    }

    // MARK: Characters

    var current: Unicode.Scalar? { self.index < self.scalars.count ? self.scalars[self.index] : nil }

    mutating func skipSpace() {
        while let scalar = self.current, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
            self.index += 1
        }
    }

    mutating func take(_ text: String) -> Bool {
        let wanted = text.unicodeScalars
        guard self.scalars[self.index...].starts(with: wanted) else { return false }
        self.index += wanted.count
        return true
    }

    mutating func takeDigits() -> String {
        var digits = ""
        while let scalar = self.current, scalar >= "0", scalar <= "9" {
            digits.unicodeScalars.append(scalar)
            self.index += 1
        }
        return digits
    }

    /// The letters, digits and underscores from here on, without taking them.
    func word() -> String {
        var word = ""
        for scalar in self.scalars[self.index...] {
            guard Self.isNameScalar(scalar, first: word.isEmpty) else { break }
            word.unicodeScalars.append(scalar)
        }
        return word
    }

    /// Enters a bracket.
    mutating func enter() throws(JSONPathError) {
        self.depth += 1
        guard self.depth <= Self.depthLimit else {
            throw self.failure("brackets are nested deeper than \(Self.depthLimit) levels")
        }
    }

    mutating func leave() {
        self.depth -= 1
    }

    func failure(_ message: String, at offset: Int? = nil) -> JSONPathError {
        JSONPathError(message: message, offset: offset ?? self.index)
    }
}
