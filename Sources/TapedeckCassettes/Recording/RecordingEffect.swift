import TapedeckCore

/// The effect of a recording on the response sets and body files that were on tape before.
package struct RecordingEffect: Sendable, Equatable {
    /// The response sets that keep their takes because a failure would have replaced an answer.
    package var kept: [String] = []
    /// The response sets that this run did not request and that stay, because the run is not complete.
    package var unreached: [String] = []
    /// The response sets whose takes differ from those on tape before, in more than their times.
    package var replaced: [String] = []
    /// The response sets that lost their recorded takes because this run did not request them.
    package var removed: [String] = []
    /// The body files that were deleted because nothing names them any more, relative to the cassette's folder.
    package var removedFiles: [String] = []
    /// The response sets whose default answers as the recorded variant does, so that no variant was written.
    package var same: [String] = []
    /// The response sets whose variant of the recording's name is written by hand, and stays.
    package var handwritten: [String] = []
    /// The response sets of this recording that answer every request body, although bodies were sent.
    package var anyBody: [String] = []
    /// The exchanges that were not written, because of ``kept``, ``same`` or ``handwritten``.
    package var unwritten = 0
    /// True if only failures could be written, and at least one set kept its takes.
    package var isAllFailed = false
    /// True if the recorded command failed.
    package var commandFailed = false

    package init() {}

    /// The maximum number of names in a line.
    private static let namedLimit = 10

    /// The effect in lines for a terminal; empty where everything on tape stayed as it was.
    package var lines: [String] {
        var lines: [String] = []
        if !self.kept.isEmpty {
            let sets = Plural.text(self.kept.count, "response set", "response sets")
            let remedy = "--record-failures records the failures instead"
            lines.append("kept \(sets), as requests failed (\(remedy)): \(Self.names(self.kept))")
        }
        if !self.unreached.isEmpty {
            let sets = Plural.text(self.unreached.count, "response set", "response sets")
            let why = self.commandFailed ? "the command failed" : "requests failed"
            lines.append("kept \(sets) that this run did not request, as \(why): \(Self.names(self.unreached))")
        }
        if !self.same.isEmpty {
            let sets = Plural.text(self.same.count, "response set", "response sets")
            lines.append("no variant of \(sets), as the default answers the same: \(Self.names(self.same))")
        }
        if !self.handwritten.isEmpty {
            let sets = Plural.text(self.handwritten.count, "response set", "response sets")
            lines.append(
                "kept the variant of \(sets), as it is written by hand; choose another name, or remove it first: "
                    + Self.names(self.handwritten)
            )
        }
        if !self.replaced.isEmpty {
            let sets = Plural.text(self.replaced.count, "response set", "response sets")
            lines.append("replaced \(sets): \(Self.names(self.replaced))")
        }
        if !self.removed.isEmpty {
            let sets = Plural.text(self.removed.count, "response set", "response sets")
            lines.append("removed \(sets) that this run did not request: \(Self.names(self.removed))")
        }
        if !self.removedFiles.isEmpty {
            let files = Plural.text(self.removedFiles.count, "body file", "body files")
            lines.append("removed \(files): \(Self.names(self.removedFiles))")
        }
        if !self.anyBody.isEmpty {
            let sets = Plural.text(self.anyBody.count, "response set answers", "response sets answer")
            lines.append("\(sets) any request body: \(Self.names(self.anyBody))")
        }
        return lines
    }

    private static func names(_ names: [String]) -> String {
        let left = names.count - self.namedLimit
        return names.prefix(self.namedLimit).joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
    }
}
