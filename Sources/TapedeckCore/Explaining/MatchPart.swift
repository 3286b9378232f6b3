/// A part of a request, and the condition of a response set on it.
package struct MatchPart: Sendable, Equatable {
    /// `method`, `path`, `query page`, `header accept`, `body`, `body $.user.name`, `state cart`.
    package var name: String
    package var wanted: String
    /// `nil` when there was none.
    package var came: String?
    package var isMet: Bool
    /// True for values that vary from run to run: alone they make no miss.
    package var varies = false
    /// The place in the request; `nil` if it cannot be ignored by its name.
    package var ignore: IgnoredPlace?

    package init(name: String, wanted: String, came: String?, isMet: Bool, ignore: IgnoredPlace? = nil) {
        self.name = name
        self.wanted = wanted
        self.came = came
        self.isMet = isMet
        self.ignore = ignore
    }

    /// A short text of the difference.
    package var difference: String {
        guard let came = self.came else { return "\(self.name) is missing, the tape has \(self.wanted)" }
        guard came == self.wanted else { return "\(self.name) is \(came), the tape has \(self.wanted)" }
        // Two spellings of one text in Unicode, or values that are not shown.
        let (one, other) = (Self.escaped(came), Self.escaped(self.wanted))
        return one == other
            ? "\(self.name) is \(came), the tape has another value" : "\(self.name) is \(one), the tape has \(other)"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
            .joined()
    }

    /// True if it concerns the request's destination, which outranks everything else.
    var isAboutRoute: Bool { ["method", "origin", "host", "path", "url"].contains(self.name) }
}
