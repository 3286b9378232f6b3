import TapedeckCore

/// A kind of token that a service issues, and its look.
///
/// Looks are facts out of the documentation of the services, out of GitHub's list of supported secret scanning patterns
/// and out of the rules of gitleaks (config/gitleaks.toml).
struct ServiceToken: Sendable {
    let pattern: ServiceTokenPattern
    /// The name that a secret of this kind gets.
    let name: String
    /// The id of the rule that the token belongs to.
    let rule: String
    /// A word that must occur nearby, in lower case, if the form alone proves too little.
    let near: [UInt8]
    /// True if the form is so short that the token must be a separate word: without an adjacent `_`, `-` or `+`, and
    /// with mixed characters.
    let isWeak: Bool

    /// A kind of token as the tables have it: its pattern, with alternatives in parentheses; its name; and where the
    /// pattern alone proves too little, `near` or `isWeak`.
    struct Row: Sendable {
        let pattern: String
        let name: String
        var rule = "tokens"
        var near = ""
        var isWeak = false

        init(_ pattern: String, _ name: String, rule: String = "tokens", near: String = "", isWeak: Bool = false) {
            self.pattern = pattern
            self.name = name
            self.rule = rule
            self.near = near
            self.isWeak = isWeak
        }
    }

    init(_ row: Row, pattern: String) {
        self.pattern = ServiceTokenPattern(pattern)
        self.name = row.name
        self.rule = row.rule
        self.near = Array(row.near.utf8)
        self.isWeak = row.isWeak
    }

    static let all: [ServiceToken] = Row.all.flatMap { row in
        ServiceTokenPattern.expanded(row.pattern).map { ServiceToken(row, pattern: $0) }
    }

    /// Keys that the documentation of AWS, Stripe and Twilio shows, which are nobody's.
    private static let examples = Set(
        [
            "sk_test_4eC39HqLyjWDarjtT1zdp7dc", "pk_test_TYooMQauvdEDq54NiTphI7jx", "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
            "pk_test_6pRNASCoBOKtIshFeQd4XMUh", "rk_test_4eC39HqLyjWDarjtT1zdp7dc", "sk_test_26PHem9AhJZvU623DfE1x4sd",
        ].map { Array($0.utf8) }
    )
    private static let exampleWord = Array("EXAMPLE".utf8)

    /// Returns true for a key of documentation, such as `AKIAIOSFODNN7EXAMPLE`.
    static func isExample(_ token: Slice<UnsafeRawBufferPointer>) -> Bool {
        token.suffix(7).elementsEqual(Self.exampleWord) || Self.examples.contains(Array(token))
    }

    /// The kind of search: a text, or bytes with strings in between.
    enum Neighbours {
        case text
        case binary
    }

    /// Returns the place of the token whose key is at `index`, or nil.
    ///
    /// - Parameters:
    ///   - limit: the latest end of the token.
    ///   - isWhole: true if the text is only this value, so that nothing is near it.
    func range(
        in text: UnsafeRawBufferPointer,
        keyAt index: Int,
        upTo limit: Int,
        as neighbours: Neighbours = .text,
        isWhole: Bool = false,
        _ ends: inout ServiceTokenPattern.RunEnds
    ) -> Range<Int>? {
        let start = index - self.pattern.lead
        guard start >= 0, start + self.pattern.leastCount <= limit,
            let (secret, runs) = self.pattern.match(in: text, at: start, upTo: limit, &ends)
        else { return nil }
        var end = secret.upperBound
        // A full stop at the end belongs to the sentence.
        if case .run(_, let count)? = self.pattern.parts.last, let last = runs.last {
            while end > start, text[end - 1] == 0x2E { end -= 1 }
            guard end - last.lowerBound >= count.lowerBound else { return nil }
        }
        guard neighbours == .binary || self.standsAlone(start..<end, in: text, upTo: limit),
            self.isDrawn(runs, in: text),
            isWhole || self.near.isEmpty || Self.has(self.near, near: start..<end, in: text)
        else { return nil }
        return secret.lowerBound..<end
    }

    /// True if no letter, digit or other character of a token is adjacent.
    private func standsAlone(_ range: Range<Int>, in text: UnsafeRawBufferPointer, upTo limit: Int) -> Bool {
        if range.lowerBound > 0 {
            let before = text[range.lowerBound - 1]
            if ByteClass.alphanumeric.contains(before) || self.isWeak && Self.joints.contains(before) { return false }
        }
        guard range.upperBound < limit else { return true }
        let after = text[range.upperBound]
        if ByteClass.alphanumeric.contains(after) || after == 0x5F || self.isWeak && Self.joints.contains(after) {
            return false
        }
        guard case .run(let characters, _)? = self.pattern.parts.last else { return true }
        return after == 0x2E || after == ASCII.equals || !characters.contains(after)
    }

    private static let joints = ByteClass("_+-")

    /// True if the characters vary as those of a token do; `ghp_xxxxxxxx…` is an example text.
    private func isDrawn(_ runs: [Range<Int>], in text: UnsafeRawBufferPointer) -> Bool {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in runs.lazy.flatMap({ text[$0] }) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        let different = low.nonzeroBitCount + high.nonzeroBitCount
        guard self.isWeak else { return different >= 4 }
        let kinds = [low & Self.digits, high & Self.capitals, high & Self.smalls].count { $0 != 0 }
        return different >= 8 && kinds >= 2
    }

    /// As bits of the two halves of ASCII.
    private static let digits: UInt64 = 0x03FF_0000_0000_0000
    private static let capitals: UInt64 = 0x0000_0000_07FF_FFFE
    private static let smalls: UInt64 = 0x07FF_FFFE_0000_0000

    /// The maximum distance of the required word from a token, in bytes.
    private static let reach = 200

    private static func has(_ word: [UInt8], near range: Range<Int>, in text: UnsafeRawBufferPointer) -> Bool {
        let end = min(text.count, range.upperBound + Self.reach) - word.count
        var index = max(0, range.lowerBound - Self.reach)
        while index <= end {
            if ASCII.lowercased(text[index]) == word[0],
                text[index..<(index + word.count)].lazy.map(ASCII.lowercased).elementsEqual(word)
            {
                return true
            }
            index += 1
        }
        return false
    }
}
