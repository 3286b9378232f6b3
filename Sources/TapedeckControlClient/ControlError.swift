package import TapedeckControlAPI

/// The reason why a deck did not do what was requested.
package struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The URL of the deck is invalid.
        case badURL
        /// Nothing listens there, or it cannot be reached.
        case noDeck
        /// There was no answer in time.
        case timeout
        /// The answer stopped before it was complete: the deck is gone.
        case interrupted
        /// The response is not a deck's, or of a different API.
        case notUnderstood
        /// The deck refused the request, with the reason.
        case refused(ProblemModel)
    }

    package let kind: Kind
    /// The error without the advice.
    package let reason: String
    /// How to fix it at a command line; `nil` where ``reason`` says enough.
    package let advice: String?

    /// The error and how to fix it, for people.
    package var description: String { self.advice.map { "\(self.reason); \($0)" } ?? self.reason }

    package init(_ kind: Kind, _ reason: String, advice: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.advice = advice
    }

    init(_ problem: ProblemModel) {
        let errors = problem.errors ?? []
        // A single one is mostly what the detail says already.
        let isTold = errors.count == 1 && errors.allSatisfy { problem.detail.contains($0.detail) }
        let details = (isTold ? [] : errors).map { error in
            "\n  \(error.pointer.isEmpty ? "the whole body" : error.pointer): \(error.detail)"
        }
        self.init(.refused(problem), problem.detail + details.joined())
    }

    /// The deck's problem document, if it sent one.
    package var problem: ProblemModel? {
        if case .refused(let problem) = self.kind { problem } else { nil }
    }
}
