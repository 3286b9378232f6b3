/// A request, as far as matching may ask about it.
package struct MatchRequest: Sendable {
    package var key: RequestKey
    /// The header fields; may be left out where ``Tape/asksForFields`` is false.
    package var fields: [HeaderField]
    /// `nil` when the body is not known: it was not read, or is too large to keep.
    package var body: ObservedBody?
    /// This request with placeholders in place of its secrets; required if ``Tape/asksForSecrets``.
    package var redacted: RedactedRequest?
    /// The rule for a request that nothing on tape is for.
    package var passing = Passing.never

    package init(_ key: RequestKey, fields: [HeaderField] = [], body: ObservedBody? = .empty) {
        self.key = key
        self.fields = fields
        self.body = body
    }
}

/// The rule that forwards a request, unrecorded, in a session that plays.
package enum Passing: Sendable {
    /// The request is unmatched if the tape has no answer.
    case never
    /// It is forwarded if nothing on tape is for it.
    case unlessOnTape
    /// It is forwarded if no response set names its origin: what lacks on tape must not come from a live server unseen.
    case unlessOriginIsOnTape

    /// - Parameter reason: of a rule that passes the request through; `nil` without one.
    package init(_ reason: HostRules.Reason?) {
        self =
            switch reason {
            case nil: .never
            case .local: .unlessOriginIsOnTape
            case .passthrough, .except, .notOnly, .loopback: .unlessOnTape
            }
    }
}

/// The body of a request, as far as matching may ask about it.
package struct ObservedBody: Sendable, Equatable {
    /// The bytes with gzip and deflate undone; `nil` when the body was too large to keep.
    package var bytes: [UInt8]?
    /// SHA-256 of the bytes as received, in lower-case hexadecimal.
    package var sha256: String
    /// True if more of the body is to come: ``bytes`` are the whole messages of a call so far.
    package var isPart = false

    package init(bytes: [UInt8]?, sha256: String) {
        self.bytes = bytes
        self.sha256 = sha256
    }

    /// No body.
    package static let empty = ObservedBody(
        bytes: [],
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
}
