import TapedeckCore

/// Finds tokens of services: by the four bytes that they begin with, so that the work does not grow with the number of
/// kinds.
struct ServiceTokenTable: Sendable {
    private let index: Index
    /// The rules that are off.
    private let off: Set<String>

    /// All kinds by their keys.
    private struct Index: Sendable {
        /// One bit for the first two bytes of each key.
        var pairs = [UInt64](repeating: 0, count: 1024)
        /// One bit for a hash of the first four bytes of each key; keys of two bytes have all their bits set.
        var quads = [UInt64](repeating: 0, count: 1024)
        /// The kinds with these four bytes as key.
        var byQuad: [UInt32: [ServiceToken]] = [:]
        var byPair: [UInt16: [ServiceToken]] = [:]
        /// One bit for each key of only two bytes.
        var shortPairs = [UInt64](repeating: 0, count: 1024)

        static let all = Index(ServiceToken.all)

        init(_ tokens: [ServiceToken]) {
            for token in tokens {
                let isLong = token.pattern.key.count == 4
                for key in Self.keys(token.pattern.key) {
                    let pair = UInt16(isLong ? key >> 16 : key)
                    self.pairs[Int(pair >> 6)] |= 1 << UInt64(pair & 63)
                    if isLong {
                        let hash = Self.hash(key)
                        self.quads[Int(hash >> 6)] |= 1 << UInt64(hash & 63)
                        self.byQuad[key, default: []].append(token)
                    } else {
                        self.shortPairs[Int(pair >> 6)] |= 1 << UInt64(pair & 63)
                        self.byPair[pair, default: []].append(token)
                    }
                }
            }
        }

        /// All texts of one character out of each class, as numbers.
        private static func keys(_ classes: [ByteClass]) -> [UInt32] {
            var keys: [UInt32] = [0]
            for characters in classes.lazy.map(\.characters) {
                var longer: [UInt32] = []
                longer.reserveCapacity(keys.count * characters.count)
                for key in keys {
                    for character in characters { longer.append(key << 8 | UInt32(character)) }
                }
                keys = longer
            }
            return keys
        }

        @inline(__always)
        static func hash(_ quad: UInt32) -> UInt32 { (quad &* 0x9E37_79B1) >> 16 }
    }

    init(isOn: (String) -> Bool) {
        self.index = Index.all
        self.off = Set(["tokens", "aws", "gcp", "azure"].filter { !isOn($0) })
    }

    /// A kind of token, and its place.
    typealias Found = (token: ServiceToken, range: Range<Int>)

    /// The least number of characters of a token.
    static let leastCount = 16

    /// The token whose key begins at `index`, where a word begins.
    @inline(__always)
    func token(
        in text: UnsafeRawBufferPointer,
        at index: Int,
        _ ends: inout ServiceTokenPattern.RunEnds
    ) -> Found? {
        guard index + 1 < text.count else { return nil }
        let pair = UInt16(text[index]) << 8 | UInt16(text[index + 1])
        guard self.index.pairs[Int(pair >> 6)] >> UInt64(pair & 63) & 1 != 0 else { return nil }
        return self.search(pair, text, index, upTo: text.count, .text, &ends)
    }

    private func search(
        _ pair: UInt16,
        _ text: UnsafeRawBufferPointer,
        _ index: Int,
        upTo limit: Int,
        _ neighbours: ServiceToken.Neighbours,
        _ ends: inout ServiceTokenPattern.RunEnds
    ) -> Found? {
        func first(_ tokens: [ServiceToken]) -> Found? {
            for token in tokens where self.off.isEmpty || !self.off.contains(token.rule) {
                if neighbours == .binary, token.isWeak || !token.near.isEmpty { continue }
                if let range = token.range(in: text, keyAt: index, upTo: limit, as: neighbours, &ends) {
                    return (token, range)
                }
            }
            return nil
        }
        if index + 3 < limit {
            let quad = UInt32(pair) << 16 | UInt32(text[index + 2]) << 8 | UInt32(text[index + 3])
            let hash = Index.hash(quad)
            if self.index.quads[Int(hash >> 6)] >> UInt64(hash & 63) & 1 != 0, let tokens = self.index.byQuad[quad],
                let found = first(tokens)
            {
                return found
            }
        }
        guard self.index.shortPairs[Int(pair >> 6)] >> UInt64(pair & 63) & 1 != 0 else { return nil }
        return self.index.byPair[pair].flatMap(first)
    }

    /// Returns the shape of a value that is a token as a whole: the characters that all tokens of its kind share, and a
    /// number of characters of a class for the others.
    ///
    /// Of a kind that only a word nearby proves is a value that was found as such: two characters, such as `YC`, begin
    /// one in some thousand of all random values.
    ///
    /// - Parameters:
    ///   - name: the name that the value got where it was found.
    ///   - rounded: returns a length that hides the exact one, for kinds without a fixed length.
    static func shape(of value: UnsafeRawBufferPointer, named name: String, rounded: (Int) -> Int) -> String? {
        var ends = ServiceTokenPattern.RunEnds()
        for token in ServiceToken.all {
            if token.pattern.context > 0 {
                guard name == token.name, let shape = token.pattern.shape(of: value, rounded: rounded) else { continue }
                return shape
            }
            guard token.pattern.leastCount <= value.count, token.near.isEmpty || name == token.name else { continue }
            let range = token.range(in: value, keyAt: token.pattern.lead, upTo: value.count, isWhole: true, &ends)
            guard range == 0..<value.count else { continue }
            return token.pattern.shape(of: value, rounded: rounded)
        }
        return nil
    }

    // MARK: Bytes that are no text

    private static let printable: [Bool] = (0...255).map { (0x21...0x7E).contains($0) }

    /// Returns the tokens in bytes that are not text, in order: those whose form alone proves them.
    ///
    /// A string among bytes has no white space around it, so a token may begin at the first character of a run of
    /// printable ones, at the second (the first is then a length, as in protocol buffers), and at the start of a word.
    /// If the run begins with a byte that gives the token's length, the token has that length. Every 16th byte is
    /// examined, and more only around a printable one.
    func tokens(inBinary bytes: UnsafeRawBufferPointer) -> [Found] {
        var found: [Found] = []
        var ends = ServiceTokenPattern.RunEnds()
        var probe = Self.leastCount - 1
        var last = 0
        while probe < bytes.count {
            guard Self.printable[Int(bytes[probe])] else {
                probe += Self.leastCount
                continue
            }
            var start = probe
            while start > last, Self.printable[Int(bytes[start - 1])] { start -= 1 }
            var end = probe + 1
            while end < bytes.count, Self.printable[Int(bytes[end])] { end += 1 }
            if end - start >= Self.leastCount { self.search(start..<end, of: bytes, &ends, &found) }
            last = end
            probe = end + Self.leastCount
        }
        return found
    }

    private func search(
        _ run: Range<Int>,
        of bytes: UnsafeRawBufferPointer,
        _ ends: inout ServiceTokenPattern.RunEnds,
        _ found: inout [Found]
    ) {
        var index = run.lowerBound
        while index + 1 < run.upperBound {
            let pair = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            let mayBegin =
                index <= run.lowerBound + 1 || !ByteClass.alphanumeric.contains(bytes[index - 1])
                || !ByteClass.alphanumeric.contains(bytes[index])
            guard mayBegin, self.index.pairs[Int(pair >> 6)] >> UInt64(pair & 63) & 1 != 0 else {
                index += 1
                continue
            }
            var match: Found?
            let said = index == run.lowerBound + 1 ? Int(bytes[index - 1]) : 0
            if said >= Self.leastCount, index + said <= run.upperBound {
                match = self.search(pair, bytes, index, upTo: index + said, .binary, &ends)
                if match?.range.upperBound != index + said { match = nil }
            }
            match = match ?? self.search(pair, bytes, index, upTo: run.upperBound, .binary, &ends)
            if let match {
                found.append(match)
                index = match.range.upperBound
            } else {
                index += 1
            }
        }
    }
}
