import TapedeckCore

/// The parts of a recorded set's name: `METHOD host[:port]/path[?query]`, and maybe ` (2)`.
struct RecordedName {
    /// The part after the method.
    let place: String
    /// The URLs that may be meant; the name does not say the scheme.
    let urls: [AbsoluteURL]

    /// `nil` for a name of any other form.
    init?(_ name: String) {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2 || words.count == 3 && Self.isNumber(words[2]) else { return nil }
        guard !words[0].isEmpty, words[0].utf8.allSatisfy(ASCII.isToken) else { return nil }
        let place = String(words[1])
        guard place.contains("/"), !place.hasPrefix("/") else { return nil }
        let urls = ["https", "http"].compactMap { AbsoluteURL("\($0)://\(place)")?.percentEncoded }
        guard !urls.isEmpty else { return nil }
        self.place = place
        self.urls = urls
    }

    /// `(2)`.
    private static func isNumber(_ word: Substring) -> Bool {
        word.hasPrefix("(") && word.hasSuffix(")") && Int(word.dropFirst().dropLast()) != nil
    }
}
