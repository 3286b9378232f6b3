import TapedeckCore

/// The effect of a recording on the response sets and body files that were on tape before.
package struct RecordingEffect: Sendable, Equatable {
    /// The response sets that keep their takes because a failure would have replaced an answer.
    package var kept: [String] = []
    /// The response sets that this run did not request and that would have been removed (`--clean`), but the run is not
    /// complete.
    package var unreached: [String] = []
    /// The recorded response sets that this run did not request, which stay as they are.
    package var untouched: [String] = []
    /// The response sets whose answer differs from that of another session of the run, and is a variant of its own.
    package var conflicts: [Conflict] = []
    /// Sets of several users of whom the recording has not all, so that whose answers it has is not known.
    package var ofUnknownUsers: [Conflict] = []
    /// The failures that were not written, as the tape has no answer for their requests.
    package var failures: [Failure] = []
    /// The response sets whose recorded variant is of this recording.
    package var written: [String] = []
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

    /// An answer that differs from the one that another session of the run got.
    package struct Conflict: Sendable, Equatable {
        package var set: String
        package var variant: String
    }

    /// Requests to an origin that got no answer for a reason.
    package struct Failure: Sendable, Equatable {
        package var origin: String
        package var reason: String
        package var count: Int

        package var line: String {
            let requests = Plural.text(self.count, "request", "requests")
            return
                "not recorded: \(requests) to \(self.origin) failed: \(self.reason) (--record-faults records failures)"
        }
    }

    package init() {}

    /// Adds the effect of another recording of the same cassette.
    mutating func add(_ other: RecordingEffect) {
        self.kept += other.kept
        self.unreached += other.unreached
        // A set that one of the two requested is not untouched.
        self.untouched = self.untouched.filter { other.untouched.contains($0) }
        self.conflicts += other.conflicts
        self.ofUnknownUsers += other.ofUnknownUsers
        self.failures += other.failures
        self.written += other.written
        self.replaced += other.replaced
        self.removed += other.removed
        self.removedFiles += other.removedFiles
        self.same += other.same
        self.handwritten += other.handwritten
        self.anyBody += other.anyBody
        self.unwritten += other.unwritten
        self.isAllFailed = self.isAllFailed && other.isAllFailed
        self.commandFailed = self.commandFailed || other.commandFailed
    }

    /// Notes a failure that was not written.
    mutating func note(_ exchange: RecordedExchange) {
        let origin = AbsoluteURL(exchange.url)?.origin.description ?? exchange.url
        let reason = exchange.response.detail ?? exchange.response.fault?.rawValue ?? "no answer"
        if let known = self.failures.firstIndex(where: { $0.origin == origin && $0.reason == reason }) {
            self.failures[known].count += 1
        } else {
            self.failures.append(Failure(origin: origin, reason: reason, count: 1))
        }
        self.unwritten += 1
    }

    /// The maximum number of names in a line.
    private static let namedLimit = 10

    /// The effect in lines for a terminal; empty where everything on tape stayed as it was.
    package var lines: [String] {
        var lines = self.failures.map(\.line)
        if !self.kept.isEmpty {
            let sets = Plural.text(self.kept.count, "response set", "response sets")
            let remedy = "--record-faults records the failures instead"
            lines.append("kept \(sets), as requests failed (\(remedy)): \(Self.names(self.kept))")
        }
        if !self.unreached.isEmpty {
            let sets = Plural.text(self.unreached.count, "response set", "response sets")
            let why = self.commandFailed ? "the command failed" : "others were not recorded"
            lines.append("kept \(sets) that this run did not request, as \(why): \(Self.names(self.unreached))")
        }
        if !self.untouched.isEmpty {
            let sets = Plural.text(self.untouched.count, "response set", "response sets")
            let remedy = "tapedeck prune removes unused ones, --clean all"
            lines.append("kept \(sets) that this run did not request (\(remedy)): \(Self.names(self.untouched))")
        }
        for variant in Set(self.conflicts.map(\.variant)).sorted() {
            let names = self.conflicts.filter { $0.variant == variant }.map(\.set)
            let sets = Plural.text(names.count, "response set", "response sets")
            lines.append(
                "another recording at the same time got other answers to \(sets); those of this one are the variant "
                    + "\"\(variant)\" (select it, or record into a cassette of its own): \(Self.names(names))"
            )
        }
        if !self.ofUnknownUsers.isEmpty {
            let sets = Plural.text(self.ofUnknownUsers.count, "response set", "response sets")
            let variants = Set(self.ofUnknownUsers.map { "\"\($0.variant)\"" }).sorted().joined(separator: ", ")
            lines.append(
                "kept \(sets) of several users, as this recording has not all of them and tokens are not on tape; its answers "
                    + "are the variant \(variants) (record all users to replace them): "
                    + Self.names(self.ofUnknownUsers.map(\.set))
            )
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
