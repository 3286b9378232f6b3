/// A rule, a shape or a name that cannot be used, in one sentence with the remedy.
package struct RedactionError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The reason why an exchange could not be redacted. Do not write the exchange then.
package struct RedactionFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
        /// A rule could not be applied, such as a pattern that took too long.
        case rule(id: String, why: String)
        /// A textual body is larger than is searched, in bytes.
        case tooLarge(limit: Int)
        /// A text body has a content coding that cannot be decoded.
        case coding(String)
        /// A text has nested codings that take too long to decode.
        case codings
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    package var description: String {
        switch self.reason {
        case .rule(let id, let why): "the redaction rule \(id) failed: \(why)"
        case .tooLarge(let limit):
            "a body is larger than the \(limit >> 10) KiB that are searched for secrets; --allow-unscanned records it all the same"
        case .codings:
            "a body has too many codings within one another to be searched for secrets; leave its host out with --except"
        case .coding(let coding):
            "a body has the content coding \(coding), which cannot be searched for secrets; --allow-unscanned records it all the same"
        }
    }
}
