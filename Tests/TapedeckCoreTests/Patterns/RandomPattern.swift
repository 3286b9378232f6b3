/// A random pattern together with a text that it matches in whole.
struct RandomPattern {
    var source: String
    var text: String

    /// Literal text, escapes, classes, groups, look-arounds and quantifiers; now and then settings that change what
    /// letters mean.
    static func make(_ random: inout some RandomNumberGenerator) -> RandomPattern {
        var pattern = RandomPattern(source: "", text: "")
        if Int.random(in: 0..<12, using: &random) == 0 {
            pattern.source = ["^", "(?i)", "(?x)", "(?:)"].randomElement(using: &random) ?? ""
        }
        let ignoresCase = pattern.source == "(?i)"
        for _ in 0..<Int.random(in: 1...8, using: &random) { pattern.append(self.item(depth: 0, &random)) }
        if Int.random(in: 0..<8, using: &random) == 0 { pattern.source += "$" }
        if Int.random(in: 0..<12, using: &random) == 0 { pattern.source += "|other" }
        if ignoresCase { pattern.text = pattern.text.uppercased() }
        return pattern
    }

    private mutating func append(_ other: RandomPattern) {
        self.source += other.source
        self.text += other.text
    }

    private static func item(depth: Int, _ random: inout some RandomNumberGenerator) -> RandomPattern {
        var item: RandomPattern
        switch Int.random(in: 0..<(depth < 2 ? 14 : 9), using: &random) {
        case 0...4:
            let letter = "abcxyz0189/-_=&%:~,;".randomElement(using: &random) ?? "a"
            item = RandomPattern(source: String(letter), text: String(letter))
        case 5:
            let mark = ".?*+()[]{}|^$\\/-#".randomElement(using: &random) ?? "."
            item = RandomPattern(source: "\\" + String(mark), text: String(mark))
        case 6:
            let (source, text) =
                [
                    ("\\d", "7"), ("\\w", "k"), ("[^/]", "q"), (".", "~"), ("[]a-c]", "]"), ("[^]|(]", "z"),
                    ("\\x41", "A"), ("[\\]\\\\]", "]"),
                ]
                .randomElement(using: &random) ?? ("\\d", "7")
            item = RandomPattern(source: source, text: text)
        case 7:
            let (source, text) =
                [
                    ("\\b", ""), ("\\Qa+b\\E", "a+b"), ("(?#a comment)", ""), ("(?=)", ""), ("(?!zzzz)", ""),
                    ("(?<!zzzz)", ""), ("$?", ""), ("{", "{"), ("a{,2}", "a{,2}"), ("]", "]"), ("}", "}"),
                    ("\\p{Lu}", "Q"),
                ]
                .randomElement(using: &random) ?? ("", "")
            return RandomPattern(source: source, text: text == "" && source == "\\b" ? "" : text)
        case 8:
            item = RandomPattern(source: "\u{e9}", text: "\u{e9}")
        default:
            item = RandomPattern(source: "", text: "")
            for _ in 0..<Int.random(in: 1...3, using: &random) { item.append(self.item(depth: depth + 1, &random)) }
            let other = Bool.random(using: &random) ? "|w)" : ")"
            let opening =
                ["(", "(?:", "(?<n\(Int.random(in: 0..<1_000_000_000, using: &random))>", "(?>", "(?|"].randomElement(
                    using: &random
                ) ?? "("
            item.source = opening + item.source + other
        }
        return self.quantified(item, &random)
    }

    private static func quantified(_ item: RandomPattern, _ random: inout some RandomNumberGenerator) -> RandomPattern {
        let choices: [(String, ClosedRange<Int>)] = [
            ("?", 0...1), ("*", 0...3), ("+", 1...3), ("{2}", 2...2), ("{0,2}", 0...2), ("{1,}", 1...3), ("{0}", 0...0),
            ("??", 0...1),
            ("+?", 1...2), ("*?", 0...2), ("{2,3}", 2...3),
        ]
        guard Int.random(in: 0..<3, using: &random) == 0, let (mark, counts) = choices.randomElement(using: &random)
        else {
            return item
        }
        let count = Int.random(in: counts, using: &random)
        return RandomPattern(source: item.source + mark, text: String(repeating: item.text, count: count))
    }
}
