extension InlineBody {
    /// Returns the first place where the body of a request that was answered differs from this recorded one, as in
    /// `body $.book is 4, the tape has 3`: the answer may be one to something else. `nil` if both mean the same.
    ///
    /// - Parameters:
    ///   - body: the body without content codings.
    ///   - fields: the header fields of its request.
    ///   - recordedFields: those of the recorded request.
    ///   - varied: the places that were found to vary, which the rule of the answer names.
    package func remark(
        on body: [UInt8],
        _ fields: [HeaderField],
        recordedWith recordedFields: [HeaderField],
        except varied: [String]
    ) -> String? {
        // Messages have conditions of their own, and bytes no places that a person reads.
        guard self.form == .text || self.form == .json else { return nil }
        let came = RequestFacts(
            MatchRequest(RequestKey(), fields: fields, body: ObservedBody(bytes: body, sha256: "")),
            scratch: PatternScratch()
        )
        guard let condition = self.condition(recordedFields), !condition.holds(for: came) else { return nil }
        // A secret differs from run to run.
        return MatcherReport(request: came).body(condition, isMet: false, judged: came, shown: came)
            .first { part in
                !part.isMet && !SecretMention.isIn(part.wanted ?? "")
                    && !varied.contains { part.name == $0 || part.name == "body \($0)" }
            }?.difference
    }

    /// The condition that a body is this one, whatever else its set asks for; `nil` if a person has put placeholders in it.
    private func condition(_ fields: [HeaderField]) -> Condition? {
        for matcher in [BodyMatcher.json(self), .xml(self)] {
            if let identity = matcher.identity { return .body(identity, matcher) }
        }
        guard self.form == .text else { return nil }
        return .canonical(CanonicalBody.of(self.decoded, fields) ?? self.decoded, ignoring: IgnoredFields())
    }
}
