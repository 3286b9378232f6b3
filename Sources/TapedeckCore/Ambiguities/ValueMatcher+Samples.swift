extension Pattern {
    /// Texts made of its literal parts: some may match.
    var samples: [String] {
        let pieces = [self.literals.prefix] + self.literals.pieces
        return ["1", "a", ""].flatMap { filler in
            let text = pieces.map { ByteText.string(from: $0) }.joined(separator: filler)
            return [text + filler, filler + text]
        }
    }
}

extension ValueMatcher {
    /// Values that may meet it.
    var samples: [[String]] {
        switch self {
        case .equals(let text), .contains(let text), .prefix(let text), .suffix(let text): [[text]]
        case .values(let texts), .valuesInAnyOrder(let texts): [texts]
        case .oneOf(let texts): texts.map { [$0] }
        case .pattern(let pattern): pattern.samples.map { [$0] }
        case .greaterThan(let number), .lessThan(let number):
            ["0", "\(number.doubleValue + 1)", "\(number.doubleValue - 1)"].map { [$0] }
        case .present: [["1"]]
        case .absent: [[]]
        case .not: [["1"], ["0"], []]
        case .all(let matchers): matchers.flatMap(\.samples)
        }
    }

    /// The values that it accepts, if it names them.
    private var named: [[String]]? {
        switch self {
        case .equals, .oneOf, .values, .absent: self.samples
        case .all(let matchers): matchers.lazy.compactMap(\.named).first
        default: nil
        }
    }

    /// Returns true if no values meet both; a name has one value unless a condition says otherwise.
    func excludes(_ other: ValueMatcher, _ scratch: PatternScratch) -> Bool {
        func meets(_ named: [[String]], _ matcher: ValueMatcher) -> Bool {
            named.contains { matcher.matches($0, scratch: scratch) }
        }
        let own = self.named.map { meets($0, other) }
        let others = other.named.map { meets($0, self) }
        return own == false && others != true || others == false && own != true
    }
}
