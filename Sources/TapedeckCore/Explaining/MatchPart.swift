/// A part of a request, and the condition of a response set on it.
package struct MatchPart: Sendable, Equatable {
    /// `method`, `path`, `query page`, `header accept`, `body`, `body $.user.name`, `state cart`.
    package var name: String
    /// `nil` where the tape has none.
    package var wanted: String?
    /// `nil` when there was none.
    package var came: String?
    package var isMet: Bool
    /// True for values that vary from run to run: alone they make no miss.
    package var varies = false
    /// The place in the request; `nil` if it cannot be ignored by its name.
    package var ignore: IgnoredPlace?

    package init(name: String, wanted: String?, came: String?, isMet: Bool, ignore: IgnoredPlace? = nil) {
        self.name = name
        self.wanted = wanted
        self.came = came
        self.isMet = isMet
        self.ignore = ignore
    }

    /// A short text of the difference: `query page is 3, the tape has 1`.
    package var difference: String { "\(self.name) \(self.differenceOfValue)" }

    /// The text behind the name.
    package var differenceOfValue: String {
        guard let wanted = self.wanted else { return "is \(self.came ?? "there"), the tape does not have it" }
        guard let came = self.came else { return "is missing, the tape has \(wanted)" }
        guard came == wanted else { return "is \(came), the tape has \(wanted)" }
        // Two spellings of one text in Unicode, or values that are not shown.
        let (one, other) = (Self.escaped(came), Self.escaped(wanted))
        return one == other ? "is \(came), the tape has another value" : "is \(one), the tape has \(other)"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
            .joined()
    }

    /// True if it concerns the request's destination, which outranks everything else.
    var isAboutRoute: Bool { ["method", "origin", "host", "path", "url"].contains(self.name) }
}

extension [MatchPart] {
    /// The first ones. Where there are more, none is proposed to be ignored: the others would still differ.
    func limited(to limit: Int) -> [MatchPart] {
        guard self.count > limit else { return self }
        return self.prefix(limit).map { part in
            var part = part
            part.ignore = nil
            return part
        }
    }
}
