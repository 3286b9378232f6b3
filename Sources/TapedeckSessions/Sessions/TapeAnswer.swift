import TapedeckCassettes
package import TapedeckCore
import TapedeckHTTP1

/// The tape's complete answer to a request: templates filled in, changes made, the body without a content coding.
package struct TapeAnswer: Sendable {
    package enum Outcome: Sendable, Equatable {
        case played(set: String, variant: String)
        case unmatched
        /// The request is forwarded, so there is no answer yet.
        case forwarded
    }

    package var outcome: Outcome
    /// The client's response, with its body in memory. Fields that only describe the transfer (`Content-Length`,
    /// `Transfer-Encoding`, the `Content-Encoding` that was decoded) are left out. `nil` for a request that is
    /// forwarded.
    package var take: Take?
    /// In milliseconds, before the first byte.
    package var delay = 0

    /// - Parameters:
    ///   - isHead: true for a HEAD request.
    ///   - now: the time for templates and dates.
    /// - Throws: an error if a body cannot be read, or a template is invalid.
    init(_ decision: Decision, isHead: Bool, now: Instant, secrets: SessionSecrets) throws {
        switch decision {
        case .play(let play):
            let names = PlayedAnswer(play).names
            self.outcome = .played(set: names.set, variant: names.variant)
            let take = try Self.staged(play, isHead: isHead, now: now, secrets: secrets)
            self.take = try Self.readable(take, isHead: isHead)
            self.delay = play.staging?.delay ?? 0
        case .reject(_, .some(var take)):
            self.outcome = .unmatched
            if !take.isFaultAlone { take.headers.append(HeaderField("X-Tapedeck-Unmatched", "true")) }
            self.take = try Self.readable(take, isHead: isHead)
        case .reject(let report, nil):
            self.outcome = .unmatched
            let answer = LocalResponse.unmatched(report)
            let body = InlineBody(form: .text, content: answer.body)
            let take = Take(status: answer.status, headers: answer.fields, body: .inline(body))
            self.take = try Self.readable(take, isHead: isHead)
        // The sets that hold requests were excluded.
        case .forward, .hold:
            self.outcome = .forwarded
        }
    }

    private static func staged(_ play: Play, isHead: Bool, now: Instant, secrets: SessionSecrets) throws -> Take {
        let taped = play.tape.takes[play.take]
        guard !taped.isFaultAlone else { return taped }
        let source = TakeSource(
            taped,
            secrets.values(of: play.tape),
            isTemplate: play.staging?.scene != nil,
            declaresSecrets: play.tape.declaresSecrets(forTake: play.take)
        )
        guard let staging = play.staging, staging.changesContent else { return try source.loaded().take }
        let take = source.take
        return try StagedContent(
            source: source,
            staging: staging,
            templates: staging.scene == nil ? nil : try TakeTemplates(take),
            now: now,
            hasBody: Self.hasBody(take, isHead: isHead),
            isHead: isHead
        ).staged()
    }

    private static func hasBody(_ take: Take, isHead: Bool) -> Bool {
        !isHead && ResponseHead.allowsBody(status: take.status)
    }

    private static func readable(_ take: Take, isHead: Bool) throws -> Take {
        guard !take.isFaultAlone else { return take }
        var take = take
        let isDecoded = take.body.coding != nil
        take.headers.removeAll { field in
            field.isNamed("content-length") || field.isNamed("transfer-encoding")
                || isDecoded && field.isNamed("content-encoding")
        }
        let bytes: [UInt8]
        switch take.body {
        case _ where !Self.hasBody(take, isHead: isHead): bytes = []
        case .none: bytes = []
        case .inline(let body): bytes = body.decoded
        case .file(let file): bytes = try file.contents()
        }
        take = take.withDigests(of: bytes)
        take.body = bytes.isEmpty ? .none : .inline(InlineBody(form: .base64, content: bytes))
        return take
    }
}
