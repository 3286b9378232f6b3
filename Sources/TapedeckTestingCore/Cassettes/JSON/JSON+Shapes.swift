/// Helpers to build values in the form of a cassette. `nil` is left out: do not write `? nil : …` where a `JSON?` is
/// meant, because that is the value null.
extension Tapedeck.JSON {
    /// An object without the members that are left out.
    init(shape members: [(name: String, value: Tapedeck.JSON?)]) {
        self.init(members: members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// Creates an object, or `nil` if it has no members.
    init?(unlessEmpty members: [Member]) {
        guard !members.isEmpty else { return nil }
        self.init(members: members)
    }

    /// Creates an array, or `nil` if it has no items.
    init?(unlessEmpty items: [Tapedeck.JSON]) {
        guard !items.isEmpty else { return nil }
        self.init(items)
    }

    /// Creates true, or `nil` if it is false.
    init?(ifTrue value: Bool) {
        guard value else { return nil }
        self.init(true)
    }

    /// An array of strings.
    init(texts: [String]) {
        self.init(texts.map { Tapedeck.JSON($0) })
    }

    /// A string, or null.
    init(text: String?) {
        if let text {
            self.init(text)
        } else {
            self = .null
        }
    }
}
