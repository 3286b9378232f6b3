import TapedeckControlAPI
import TapedeckControlClient

/// An error of a deck, or of a request to it. Its description says what to do.
public struct TapedeckError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error.
    public enum Kind: Sendable, Equatable {
        /// There is no deck: none is linked and none is named, it cannot be started, or it is gone.
        case noDeck
        /// There is no cassette of that name.
        case missingCassette
        /// The options of the test contradict each other, or the environment.
        case badOptions
        /// `CI` is set, where nothing is recorded.
        case recordingRefused
        /// The deck said no: a set, variant or profile that is not there, a cassette that cannot be used.
        case refused
        /// There was no request in time.
        case timeout
        /// A body is not what it was to be decoded as.
        case notDecodable
    }

    /// The kind of the error.
    public let kind: Kind
    /// The error and how to fix it.
    public let description: String
    /// The deck's word for what it refused, such as `unknown-held`; `nil` for all else.
    let problem: String?

    package init(_ kind: Kind, _ description: String) {
        self.init(kind, description, problem: nil)
    }

    init(_ kind: Kind, _ description: String, problem: String?) {
        self.kind = kind
        self.description = description
        self.problem = problem
    }

    init(_ error: any Error) {
        switch error {
        case let error as TapedeckError: self = error
        case let error as ControlError:
            switch error.kind {
            case .badURL, .noDeck, .timeout, .interrupted, .notUnderstood: self.init(.noDeck, error.description)
            case .refused(let problem):
                let word = problem.type.split(separator: "/").last.map(String.init)
                self.init(.refused, error.description, problem: word)
            }
        default: self.init(.noDeck, "\(error)")
        }
    }
}
