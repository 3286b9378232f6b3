/// The kinds of values that the name of a place announces.
enum RandomPlace {
    /// Parts of the names of places whose values mark a request, and ask for nothing.
    private static let marks = [
        "nonce", "requestid", "trace", "correlation", "cache", "rand", "session", "state", "challenge", "verifier",
        "idempotency", "clientref", "reference", "runid", "uuid", "guid", "clienttoken", "requesttoken",
        "csrftoken", "boundary", "messageid", "transaction", "callid", "spanid",
    ].map { Array($0.utf8) }
    /// Words that are parts of others, such as `prefix` and `grid`.
    private static let shortMarks: Set<String> = ["rid", "ref", "run", "salt", "seed", "txn", "jti"]
    private static let times = [
        "time", "date", "stamp", "since", "until", "start", "end", "begin", "exp", "iat", "nbf", "created", "updated",
        "now", "epoch", "when", "at", "ts", "t", "from", "to", "sent", "last", "expir", "deadline", "due", "schedul",
        "before", "after", "finish", "complet", "cutoff", "issued", "modif", "valid",
    ]

    /// - Parameter place: such as `$.client.nonce` or `query request_id`.
    static func isMark(_ place: String) -> Bool {
        let last = self.lastName(place)
        let name = last.utf8.filter { $0 != 0x2D && $0 != 0x5F }.map(ASCII.lowercased)
        return name.isEmpty || self.marks.contains { name.containsBytes($0) }
            || self.words(last).contains(where: self.shortMarks.contains)
    }

    /// True for places of random bytes.
    static func isNonce(_ place: String) -> Bool {
        let name = self.lastName(place).utf8.map(ASCII.lowercased)
        return self.nonces.contains { name.containsBytes($0) }
    }

    private static let nonces = ["nonce", "salt", "challenge", "verifier", "boundary"].map { Array($0.utf8) }

    /// - Parameter name: of a member of JSON.
    static func isTime(_ name: String) -> Bool {
        let words = self.words(name)
        return words.contains { word in self.times.contains { word == $0 || $0.utf8.count > 3 && word.contains($0) } }
    }

    /// - Parameter place: such as `query since_id`.
    static func isIdentifier(_ place: String) -> Bool {
        self.words(self.lastName(place)).contains { $0 == "id" || $0 == "ids" }
    }

    /// Returns true if the last name of a place has a word of another name.
    static func shares(_ name: String, _ place: String) -> Bool {
        let words = Set(name.split(separator: "_").map { ASCII.lowercased(String($0)) })
        return self.words(self.lastName(place)).contains(where: words.contains)
    }

    /// True for the path and a parameter of the query.
    static func isOfURL(_ place: String) -> Bool { place == "path" || place.hasPrefix("query ") }

    /// The name of the member of JSON at a place; `nil` for other places, and for items of lists.
    static func member(of place: String) -> String? {
        guard place.contains("$"), !place.hasSuffix("]") else { return nil }
        let name = place.split(separator: ".").last.map(String.init)
        return name == "$" ? nil : name
    }

    /// The last name in a place that says something: without numbers of items, and types or roles of a value.
    static func lastName(_ place: String) -> String {
        let names = place.utf8.split { ".[]'/ ".utf8.contains($0) }.filter { !$0.allSatisfy { 0x30...0x39 ~= $0 } }
        let last = names.last { !Self.wrappers.contains(ASCII.lowercased(String(Substring($0)))) } ?? names.last
        return last.map { String(Substring($0)) } ?? ""
    }

    /// Names of members that hold the value of the member around them, as in the APIs of AWS.
    private static let wrappers: Set<String> = ["s", "n", "value", "stringvalue", "#text"]

    /// `sent`, `at` of `sentAt` and `sent_at`.
    private static func words(_ name: String) -> [String] {
        var words: [[UInt8]] = [[]]
        var wasUpperCase = true
        for byte in name.utf8 {
            let isUpperCase = 0x41...0x5A ~= byte
            defer { wasUpperCase = isUpperCase }
            if "-_.".utf8.contains(byte) {
                words.append([])
                continue
            }
            if isUpperCase, !wasUpperCase, words.last?.isEmpty == false { words.append([]) }
            words[words.count - 1].append(ASCII.lowercased(byte))
        }
        return words.map { ByteText.string(from: $0) }
    }
}
