import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension SessionModel {
    /// - Parameter showsToken: true for the creator of the session.
    init(_ session: Session, showsToken: Bool = false) {
        self.init(
            id: session.id,
            name: session.name,
            mode: session.mode.rawValue,
            seed: session.seed,
            created: session.created.text(.rfc3339Milliseconds)
        )
        let selection = session.selection
        let counts = session.counts
        self.token = showsToken ? session.token : nil
        self.cassettes = session.cassettes.map(\.name)
        self.selections = selection.variants
        self.profiles = selection.profiles.map { profile in
            ProfileChoice(profile.name, only: profile.targets.isEmpty ? nil : profile.targets)
        }
        self.state = session.values
        self.streams = session.streams?.description
        self.unmatched = UnmatchedModel(session.policy, in: session.mode)
        self.recording = RecordingModel(of: session)
        self.idleSeconds = session.idleSeconds
        self.requests = session.journal.view(limit: 0).seen
        self.played = counts.played
        self.forwarded = counts.forwarded
        self.unmatchedRequests = counts.unmatched
        self.added = session.added.map(\.name)
        self.revision = session.revision
        self.port = session.port
        self.paused = session.isPaused ? true : nil
    }
}

extension UnmatchedModel {
    /// - Parameter policy: `nil` is what the mode does.
    init(_ policy: UnmatchedPolicy?, in mode: Mode) {
        switch policy {
        case .fail: self.init(policy: "fail")
        case .passthrough: self.init(policy: "passthrough")
        case .record: self.init(policy: "record")
        case .respond(let take): self.init(policy: "respond", status: take.status, body: Self.text(take.body))
        case nil: self.init(policy: mode == .replay ? "fail" : mode.records ? "record" : "passthrough")
        }
    }

    private static func text(_ body: StoredBody) -> String? {
        guard case .inline(let body) = body else { return nil }
        return String(validating: body.decoded, as: UTF8.self)
    }

    /// Returns the requested policy.
    ///
    /// - Throws: ``Problem``.
    func decoded(at pointer: String) throws -> UnmatchedPolicy {
        guard self.policy == "respond" || self.status == nil && self.body == nil else {
            throw Problem.badBody(pointer, "`status` and `body` go with the policy `respond` only")
        }
        switch self.policy {
        case "fail": return .fail
        case "passthrough": return .passthrough
        case "record": return .record
        case "respond": return .respond(try self.take(at: pointer))
        default:
            throw Problem.badBody("\(pointer)/policy", "this must be one of fail, passthrough, record, respond")
        }
    }

    private func take(at pointer: String) throws -> Take {
        let status = self.status ?? 404
        guard (200...599).contains(status) else {
            throw Problem.badBody("\(pointer)/status", "\(status) must be a status from 200 to 599")
        }
        guard let body = self.body else { return Take(status: status) }
        return Take(
            status: status,
            headers: [HeaderField("Content-Type", "text/plain; charset=utf-8")],
            body: .inline(InlineBody(form: .text, content: Array(body.utf8)))
        )
    }
}

extension RecordingModel {
    /// The recording that a session makes; `nil` where it makes none.
    init?(of session: Session) {
        guard let status = session.recordingStatus else { return nil }
        self.init(
            cassette: status.cassette.name,
            mode: session.mode.rawValue,
            variant: session.recordingVariant?.text,
            exchanges: status.exchanges
        )
        self.failure = status.failure
    }
}
