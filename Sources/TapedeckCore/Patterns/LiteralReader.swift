/// Reads the literal text at the top level of a pattern's source.
///
/// It knows literal characters, escaped punctuation, `\xHH`, the usual classes, `.`, `^`, `$`, groups (which it steps
/// over) and quantifiers. At anything else it gives up.
struct LiteralReader {
    /// The runs of literal text, in order; none is empty.
    private(set) var pieces: [[UInt8]] = []
    /// The length of the first piece, if the pattern begins with it.
    private(set) var prefixLength: Int?

    private let source: [UInt8]
    private var index = 0
    /// The characters of the current run.
    private var run: [[UInt8]] = []
    /// True if nothing came before the current run.
    private var isAtStart = true

    private enum Item {
        case character([UInt8])
        /// `^` and `$`: between characters, not one of them.
        case anchor
        case unknown
    }

    init(_ source: [UInt8]) {
        self.source = source
    }

    /// Returns true if all of the source was understood; only then ``pieces`` is useful.
    mutating func read() -> Bool {
        while self.index < self.source.count {
            guard let item = self.readItem(), let least = self.readQuantifier() else { return false }
            switch (item, least) {
            case (.anchor, _):
                continue
            case (.character(let bytes), .once):
                self.run.append(bytes)
            case (.character(let bytes), .more):
                self.run.append(bytes)
                self.endRun()
            case (.character, .none), (.unknown, _):
                self.endRun()
            }
        }
        self.endRun()
        return true
    }

    private mutating func endRun() {
        if !self.run.isEmpty {
            let piece = Array(self.run.joined())
            if self.isAtStart { self.prefixLength = piece.count }
            self.pieces.append(piece)
            self.run = []
        }
        self.isAtStart = false
    }

    private mutating func readItem() -> Item? {
        let byte = self.source[self.index]
        switch byte {
        case ASCII.backslash:
            return self.readEscape()
        case UInt8(ascii: "["):
            return self.skipClass() ? .unknown : nil
        case UInt8(ascii: "("):
            return self.skipGroup() ? .unknown : nil
        case UInt8(ascii: "."):
            self.index += 1
            return .unknown
        case UInt8(ascii: "^"), UInt8(ascii: "$"):
            self.index += 1
            return .anchor
        case UInt8(ascii: "|"), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), ASCII.question,
            ASCII.openBrace:
            return nil
        default:
            // A character beyond ASCII is one item with all its bytes.
            let end = self.source[(self.index + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? self.source.count
            defer { self.index = end }
            return .character(Array(self.source[self.index..<end]))
        }
    }

    private mutating func readEscape() -> Item? {
        guard self.index + 1 < self.source.count else { return nil }
        let byte = self.source[self.index + 1]
        self.index += 2
        switch byte {
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "s"),
            UInt8(ascii: "S"), UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "v"), UInt8(ascii: "V"),
            UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "r"):
            return .unknown
        case UInt8(ascii: "x"):
            guard self.index + 1 < self.source.count, let high = ASCII.hexValue(self.source[self.index]),
                let low = ASCII.hexValue(self.source[self.index + 1])
            else { return nil }
            self.index += 2
            // Beyond ASCII it is a byte or a character, as the pattern is matched.
            return high < 8 ? .character([high << 4 | low]) : .unknown
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E:
            return .character([byte])
        default:
            return nil
        }
    }

    private enum Least {
        case none
        case once
        /// At least once, followed by unknown text.
        case more
    }

    /// Returns how often the last item must occur, or `nil` if that is unclear.
    private mutating func readQuantifier() -> Least? {
        guard self.index < self.source.count else { return .once }
        let least: Least
        switch self.source[self.index] {
        case ASCII.question, ASCII.asterisk:
            least = .none
            self.index += 1
        case UInt8(ascii: "+"):
            least = .more
            self.index += 1
        case ASCII.openBrace:
            guard let close = self.source[self.index...].firstIndex(of: ASCII.closeBrace) else { return nil }
            let counts = self.source[(self.index + 1)..<close].split(
                separator: ASCII.comma,
                omittingEmptySubsequences: false
            )
            guard (1...2).contains(counts.count), counts[0].first != nil,
                counts.joined().allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            least = counts[0].allSatisfy { $0 == 0x30 } ? .none : .more
            self.index = close + 1
        default:
            return .once
        }
        if self.index < self.source.count,
            self.source[self.index] == ASCII.question
                || self.source[self.index] == UInt8(ascii: "+")
        {
            self.index += 1
        }
        return least
    }

    /// Steps over a class; false where its end is unclear.
    private mutating func skipClass() -> Bool {
        self.index += 1
        if self.index < self.source.count, self.source[self.index] == UInt8(ascii: "^") { self.index += 1 }
        // A bracket that comes first is a member.
        var isFirst = true
        while self.index < self.source.count {
            switch self.source[self.index] {
            case UInt8(ascii: "]") where !isFirst:
                self.index += 1
                return true
            case ASCII.openBracket:
                // `[:alpha:]`, or another bracket in a class.
                return false
            case ASCII.backslash:
                guard self.index + 1 < self.source.count, !"QEcNpPxo".utf8.contains(self.source[self.index + 1]) else {
                    return false
                }
                self.index += 2
            default:
                self.index += 1
            }
            isFirst = false
        }
        return false
    }

    /// Steps over a group and all in it; false where it holds more than the usual.
    private mutating func skipGroup() -> Bool {
        var depth = 0
        while self.index < self.source.count {
            switch self.source[self.index] {
            case UInt8(ascii: "("):
                guard self.skipGroupOpening() else { return false }
                depth += 1
            case UInt8(ascii: ")"):
                self.index += 1
                depth -= 1
                if depth == 0 { return true }
            case ASCII.openBracket:
                guard self.skipClass() else { return false }
            case ASCII.backslash:
                guard self.readEscape() != nil else { return false }
            default:
                self.index += 1
            }
        }
        return false
    }

    /// `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `(?<name>` and `(?P<name>`. A setting such as `(?i)`, a
    /// comment, a condition, a verb, a recursion are refused.
    private mutating func skipGroupOpening() -> Bool {
        let rest = self.source[(self.index + 1)...]
        guard let first = rest.first, first != ASCII.asterisk else { return false }
        self.index += 1
        guard first == ASCII.question else { return true }
        for opening in ["?:", "?=", "?!", "?<=", "?<!", "?>", "?P<", "?<"] where rest.starts(with: opening.utf8) {
            self.index += opening.utf8.count
            guard opening.hasSuffix("<") else { return true }
            guard let end = self.source[self.index...].firstIndex(of: UInt8(ascii: ">")) else { return false }
            self.index = end + 1
            return true
        }
        return false
    }
}
