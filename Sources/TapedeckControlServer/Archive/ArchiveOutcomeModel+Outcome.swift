package import TapedeckCassettes
package import TapedeckControlAPI

extension ArchiveOutcomeModel {
    /// - Parameter name: of the cassette.
    package init(_ name: String, _ outcome: ArchiveInstaller.Outcome) {
        switch outcome {
        case .created: self.init(name: name, outcome: "created")
        case .replaced: self.init(name: name, outcome: "replaced")
        case .unchanged: self.init(name: name, outcome: "unchanged")
        case .refused(let refusal):
            let (reason, detail) = Self.words(refusal)
            self.init(name: name, outcome: "refused", reason: reason, detail: detail)
        }
    }

    /// True if the deck has changed something.
    var isInPlace: Bool { self.outcome == "created" || self.outcome == "replaced" }

    private static func words(_ refusal: ArchiveInstaller.Refusal) -> (reason: String, detail: String) {
        switch refusal {
        case .changed:
            (
                "changed",
                "there is another one of this name, which the sender has not seen; pull it and look, then push again"
            )
        case .recording: ("recording", "it is being recorded right now; end the recording, then push again")
        case .unsound(let problems): ("unsound", problems.joined(separator: "\n"))
        case .misplaced(let why): ("misplaced", why)
        case .notWritable(let why): ("not-writable", "the deck may not write it: \(why)")
        }
    }
}

extension Problem {
    /// Some cassettes of an archive were not put in place.
    init(refused outcomes: [ArchiveOutcomeModel]) {
        let refused = outcomes.filter { $0.outcome == "refused" }
        let status =
            switch refused.first?.reason {
            case "unsound", "misplaced": 422
            case "not-writable": 403
            default: 409
            }
        let shown = refused.prefix(3).map { "\($0.name): \($0.detail ?? "")" }
        let more = refused.count > shown.count ? "; and \(refused.count - shown.count) more" : ""
        let others = outcomes.contains(where: \.isInPlace) ? "the others are in place" : "nothing has changed"
        self.init(
            status,
            "cassettes-refused",
            "Not every cassette was taken",
            "\(refused.count) of \(outcomes.count) cassettes were not taken, \(others): \(shown.joined(separator: "; "))\(more)"
        )
        self.model.cassettes = outcomes
    }

    init(_ error: ArchiveError) {
        switch error.kind {
        case .malformed: self.init(422, "bad-archive", "The archive cannot be used", error.description)
        case .tooLarge: self.init(413, "archive-too-large", "The archive is too large", error.description)
        case .changed: self = .conflict(error.description)
        }
    }

    /// The folder of cassettes cannot be written into; `nil` where something else is wrong.
    init?(unwritable error: FileError) {
        if error.isFull {
            self.init(507, "disk-full", "The deck's disk is full", "\(error); free some space, then send it again")
        } else if error.isForbidden {
            let detail = "cassettes cannot be sent to this deck, as it may not write its folder of them (\(error))"
            self.init(403, "not-writable", "The deck does not take cassettes", detail)
        } else {
            return nil
        }
    }
}
