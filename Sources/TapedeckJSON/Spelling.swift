/// Finds what a mistyped word was meant to be.
package enum Spelling {
    /// The one of `words` that is nearest to `word`, if it is near enough to be worth a suggestion: at most a third of
    /// its letters differ.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let limit = max(1, word.count / 3)
        return
            words
            .map { (word: $0, distance: self.distance(ASCII.lowercased(word), ASCII.lowercased($0))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?
            .word
    }

    /// Returns the end of a message about a name that is not there: the one that may be meant, else those that contain it, else
    /// some of those that there are; empty where there are none.
    package static func hint(for name: String, among names: [String]) -> String {
        if let near = self.nearest(to: name, among: names) { return "; did you mean \"\(near)\"?" }
        guard !names.isEmpty else { return "" }
        let part = ASCII.lowercased(name)
        let containing = part.isEmpty ? [] : names.filter { ASCII.lowercased($0).contains(part) }
        if containing.count == 1 { return "; did you mean \"\(containing[0])\"?" }
        let shown = containing.isEmpty ? names : containing
        let list = self.list(shown, most: 5, length: 150)
        guard containing.isEmpty else { return "; these contain it: \(list)" }
        return names.count == 1 ? "; there is only \(list)" : "; there are: \(list)"
    }

    /// Names in quotation marks, as many as fit, and how many there are beside them. Names of requests are long.
    ///
    /// - Parameters:
    ///   - most: how many are named.
    ///   - length: the number of characters after which no further name begins.
    package static func list(_ names: [String], most: Int = 10, length: Int = 400) -> String {
        var sum = 0
        let named = names.prefix(most).prefix { name in
            defer { sum += name.count }
            return sum < length
        }
        let list = named.map { "\"\($0)\"" }.joined(separator: ", ")
        return names.count > named.count ? "\(list) and \(names.count - named.count) more" : list
    }

    /// Returns the number of letters to add, remove, change or swap with their neighbour to turn one into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        var twoBack: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (letter == other ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, twoBack[column - 1] + 1)
                }
                current.append(best)
            }
            twoBack = previous
            previous = current
        }
        return previous[right.count]
    }
}
