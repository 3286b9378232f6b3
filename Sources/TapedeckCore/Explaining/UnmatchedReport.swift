/// The reason why nothing on tape answers a request.
package struct UnmatchedReport: Sendable, Equatable {
    /// A response set that almost answers.
    package struct NearMiss: Sendable, Equatable {
        package var set: String
        package var cassette: String
        /// Every condition of the set, met or not.
        package var parts: [MatchPart]

        /// The differences, each with the actual and the expected value.
        package var differences: [String] { self.differing.map(\.difference) }

        /// True if method, origin and path are those of the request.
        package var hasRoute: Bool { self.parts.allSatisfy { $0.isMet || !$0.isAboutRoute } }

        /// The conditions that are not met; without those that vary beside others.
        package var differing: [MatchPart] {
            let unmet = self.parts.filter { !$0.isMet }
            let telling = unmet.filter { !$0.varies }
            return telling.isEmpty ? unmet : telling
        }

        /// Explains how to let the places differ that separate the request from the set, if they can be ignored.
        package var ignoring: String? { self.ignoring(in: self.cassette) }

        /// - Parameter cassette: what names the cassette on a command line.
        package func ignoring(in cassette: String) -> String? {
            let differing = self.differing
            // A request to do another thing must not get this answer.
            let isOther = differing.contains { RequestPurpose.isOperation($0.name) }
            guard !differing.isEmpty, !isOther else { return nil }
            let places = differing.compactMap(\.ignore)
            guard places.count == differing.count else {
                guard differing.allSatisfy({ $0.name == "body" || $0.name.hasPrefix("body ") }) else { return nil }
                return "if its body may differ, remove `body` from \"\(self.set)\""
            }
            let arguments = Set(places.map(\.description)).sorted().map(ShellWord.inQuotes)
            let name = ShellWord.quoted(cassette)
            return "if it may differ: tapedeck ignore \(name) \(arguments.joined(separator: " "))"
        }
    }

    package var request: RequestLine
    package var session: String
    package var mode: Mode
    package var cassettes: [String]
    /// The number of response sets that were considered.
    package var candidates: Int
    package var reason: MissReason
    /// The nearest first; at most three.
    package var nearest: [NearMiss]
    /// The rule that keeps the origin out of recordings; `nil` if none does.
    package var unrecorded: HostRules.Reason?
    /// True if the request was passed on to this machine, where nothing took it.
    package var isUnreachable = false
    /// True if a response set names the origin of the request.
    package var isOriginOnTape = false

    /// The commands that make an answer of it.
    package var remedy: String { self.answering + (self.ignoring.map { "; \($0)" } ?? "") }

    /// The command that gives it an answer of its own.
    package var answering: String {
        let cassette = self.cassettes.first ?? "NAME"
        switch self.reason {
        case .noMatch: return self.recordingRemedy(cassette)
        case .usedUp(let set, let variant):
            return "Add takes to the variant \"\(variant)\" of \"\(set)\", or change its `after:`"
        case .passthrough: return "To let it ask the live server: tapedeck replay \(cassette) --allow-passthrough"
        case .noAnswer(let set, let variant):
            return "Give the variant \"\(variant)\" of \"\(set)\" an `otherwise:`, or another variant to lead to"
        case .otherFields, .otherAnswer: return "To record what is missing: tapedeck append \(cassette) -- COMMAND"
        case .cutOff: return "Make the pattern simpler: tapedeck explain \(cassette) METHOD URL says which it is"
        }
    }

    /// Explains how to let the nearest set answer, if what separates it from the request can be ignored.
    package var ignoring: String? { self.ignoring(paths: [:]) }

    /// - Parameter paths: what names cassettes on a command line, by their names, if it is not the name.
    package func ignoring(paths: [String: String]) -> String? {
        guard self.reason == .noMatch, let nearest = self.nearest.first else { return nil }
        return nearest.ignoring(in: paths[nearest.cassette] ?? nearest.cassette)
    }

    /// Explains how to record an answer for a request to an origin that is not on tape.
    private func recordingRemedy(_ cassette: String) -> String {
        let origin = self.request.url.origin
        let host = "\(origin.bracketedHost):\(origin.port)"
        let isHere = self.unrecorded == .loopback || self.unrecorded == .local
        if self.isUnreachable || self.isOriginOnTape && isHere {
            return "To record what is missing: tapedeck append \(cassette) --loopback -- COMMAND"
        }
        switch self.unrecorded {
        case .loopback, .local:
            return "To let requests to this machine pass, leave out --no-local; to record them: tapedeck append "
                + "\(cassette) --loopback -- COMMAND"
        case .notOnly:
            return "To record it, add \(host) to `only`; to refuse it without a failure: --block \(host)"
        case .except, .passthrough, nil:
            return "To record what is missing: tapedeck append \(cassette) -- COMMAND"
        }
    }

    /// One line with the request and the nearest set.
    package var summary: String {
        if let explanation = self.reason.explanation { return explanation }
        let cut = self.reason == .cutOff ? "a pattern took too long and was cut off; " : ""
        guard let nearest = self.nearest.first else {
            let why = self.unrecorded.map { ", \($0.lack)" } ?? ""
            return "\(cut)nothing on tape is for \(self.request.url.origin)\(why)"
        }
        let alone = self.isUnreachable ? "nothing listens at \(self.request.url.origin); " : ""
        return "\(cut)\(alone)nearest is \"\(nearest.set)\": " + nearest.differences.joined(separator: "; ")
    }

    /// The summary as a header value can hold it: visible ASCII, at most 200 characters.
    package var headerValue: String {
        let text = self.summary.unicodeScalars.map { scalar in
            scalar.value >= 0x20 && scalar.value < 0x7F ? Character(scalar) : "?"
        }
        return text.count > 200 ? String(text.prefix(197)) + "..." : String(text)
    }

    /// A word for programs.
    package var reasonName: String {
        switch self.reason {
        case .noMatch: "noMatch"
        case .usedUp: "usedUp"
        case .passthrough: "passthroughNotAllowed"
        case .noAnswer: "noAnswer"
        case .otherFields: "otherFields"
        case .otherAnswer: "otherAnswer"
        case .cutOff: "patternCutOff"
        }
    }

    /// The body of the 501. Its `type` and `error` are those that SDKs of OpenAI, Anthropic, Google and others show to their
    /// users.
    package var json: JSONText {
        let message = "Nothing on tape answers \(self.request): \(self.summary). \(self.remedy)"
        return .object([
            ("type", .string("error")),
            (
                "error",
                .object([
                    ("type", .string("unmatched")), ("code", .int(501)), ("status", .string("UNIMPLEMENTED")),
                    ("message", .string(message)),
                ])
            ),
            ("reason", .string(self.reasonName)),
            ("message", .string("Nothing on tape answers \(self.request): \(self.summary).")),
            (
                "request",
                .object([
                    ("method", .string(self.request.method)), ("url", .string(SecretMasking.shown(self.request.url))),
                ])
            ),
            ("session", .string(self.session)),
            ("mode", .string(self.mode.rawValue)),
            ("cassettes", .array(self.cassettes.map(JSONText.string))),
            ("candidates", .int(self.candidates)),
            (
                "nearest",
                .array(
                    self.nearest.map { miss in
                        .object([
                            ("set", .string(miss.set)),
                            ("cassette", .string(miss.cassette)),
                            ("differences", .array(miss.differences.map(JSONText.string))),
                        ])
                    }
                )
            ),
            ("remedy", .string(self.remedy)),
        ])
    }
}

extension UnmatchedReport {
    /// Returns a copy with `change` applied to every text that may come from the request.
    package func mapTexts(_ change: (String) -> String) -> UnmatchedReport {
        var report = self
        for miss in report.nearest.indices {
            report.nearest[miss].parts = report.nearest[miss].parts.map { $0.mapTexts(change) }
        }
        return report
    }
}

extension MatchPart {
    package func mapTexts(_ change: (String) -> String) -> MatchPart {
        var part = self
        part.name = change(self.name)
        part.wanted = self.wanted.map(change)
        part.came = self.came.map(change)
        return part
    }
}

/// The reason why nothing answered a request.
package enum MissReason: Sendable, Equatable {
    case noMatch
    /// The set matched, but all its takes are used up.
    case usedUp(set: String, variant: String)
    /// The set matched, but its variant asks the live server, and this session may not.
    case passthrough(set: String, variant: String)
    /// The set matched, but its variant has no answer.
    case noAnswer(set: String, variant: String)
    /// The set matched, but no take of it was recorded for a request with these conditions or this range: `range:
    /// bytes=0-99`; empty for a request without any.
    case otherFields(set: String, asked: String)
    /// The answer to a call does not begin with what another set, whose call began like it, has sent already.
    case otherAnswer
    /// A pattern took too long and was cut off.
    case cutOff

    /// The explanation of a set that matched without an answer; `nil` if no set matched.
    package var explanation: String? {
        switch self {
        case .noMatch, .cutOff: nil
        case .otherAnswer:
            "calls on tape began like this one, and part of the answer to another of them was sent before it showed which it is"
        case .usedUp(let set, let variant):
            "\"\(set)\" matched, but all takes of its variant \"\(variant)\" are used up"
        case .passthrough(let set, let variant):
            "\"\(set)\" matched, but its variant \"\(variant)\" asks the live server, which replay does not do "
                + "without --allow-passthrough"
        case .noAnswer(let set, let variant):
            "\"\(set)\" matched, but its variant \"\(variant)\" has no answer for this request"
        case .otherFields(let set, let asked):
            "\"\(set)\" matched, but the tape has no answer "
                + (asked.isEmpty ? "to a request without a condition or a range" : "to a request with \(asked)")
        }
    }
}

extension UnmatchedReport {
    /// Notes which rule keeps the origin out of recordings, if one does.
    package mutating func explainUnrecorded(by rules: HostRules) {
        guard self.reason == .noMatch, !self.mode.dialsOut else { return }
        if case .passThrough(let reason) = rules.verdict(on: self.request.url.origin) { self.unrecorded = reason }
    }
}

extension HostRules.Reason {
    /// The reason why an origin is not on tape, as the end of a sentence.
    var lack: String {
        switch self {
        case .loopback, .local: "which is on this machine: that is recorded only with --loopback"
        case .notOnly: "which is not recorded: `only` does not name it"
        case .except(let pattern): "which is not recorded: `except` has \(pattern)"
        case .passthrough(let pattern): "which is not recorded: `passthrough` has \(pattern)"
        }
    }
}
