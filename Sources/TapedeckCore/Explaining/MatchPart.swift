/// A part of a request, and the condition of a response set on it.
package struct MatchPart: Sendable, Equatable {
    /// `method`, `path`, `query page`, `header accept`, `body`, `body $.user.name`, `state cart`.
    package var name: String
    package var wanted: String
    /// `nil` when there was none.
    package var came: String?
    package var isMet: Bool

    package init(name: String, wanted: String, came: String?, isMet: Bool) {
        self.name = name
        self.wanted = wanted
        self.came = came
        self.isMet = isMet
    }

    /// A short text of the difference.
    package var difference: String {
        guard let came = self.came else { return "\(self.name) is missing, the tape has \(self.wanted)" }
        return "\(self.name) is \(came), the tape has \(self.wanted)"
    }

    /// True if it concerns the request's destination, which outranks everything else.
    var isAboutRoute: Bool { ["method", "origin", "host", "path", "url"].contains(self.name) }
}
