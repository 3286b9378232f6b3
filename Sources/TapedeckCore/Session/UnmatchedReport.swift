/// Why nothing on tape answers a request.
package struct UnmatchedReport: Sendable, Equatable {
    /// A response set that almost answers.
    package struct NearMiss: Sendable, Equatable {
        package var set: String
        package var cassette: String
        /// What differs, each as "what came, what the tape has".
        package var differences: [String]
    }

    package var request: RequestLine
    package var session: String
    package var mode: Mode
    package var cassettes: [String]
    /// How many response sets there were to choose from.
    package var candidates: Int
    /// The nearest first; at most three.
    package var nearest: [NearMiss]

    /// The command that records what is missing.
    package var remedy: String {
        let cassette = self.cassettes.first ?? "NAME"
        return "tapedeck append \(cassette) -- COMMAND"
    }

    /// One line that says what was asked for and what came nearest.
    package var summary: String {
        guard let nearest = self.nearest.first else {
            return "nothing on tape is for \(self.request.url.origin)"
        }
        return "nearest is \"\(nearest.set)\": " + nearest.differences.joined(separator: "; ")
    }

    /// The body of the 501.
    package var json: JSONText {
        .object([
            ("error", .string("unmatched")),
            ("message", .string("Nothing on tape answers \(self.request): \(self.summary).")),
            (
                "request",
                .object([("method", .string(self.request.method)), ("url", .string(self.request.url.description))])
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
            ("remedy", .string("To record what is missing: \(self.remedy)")),
        ])
    }
}
