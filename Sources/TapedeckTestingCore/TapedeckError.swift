import TapedeckControlAPI
import TapedeckControlClient

/// An error of a deck, or of a request to it. Its description says what to do.
public struct TapedeckError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error.
    public enum Kind: Sendable, Equatable {
        /// There is no deck: none is linked or named, it cannot be started, or it has stopped.
        case noDeck
        /// The cassette does not exist.
        case missingCassette
        /// The options of the test contradict each other, or the environment.
        case badOptions
        /// `CI` is set, where nothing is recorded.
        case recordingRefused
        /// The deck refused: a set, variant or profile does not exist, or a cassette cannot be used.
        case refused
        /// There was no request in time.
        case timeout
        /// A body is not what it was to be decoded as.
        case notDecodable
    }

    /// The kind of the error.
    public let kind: Kind
    /// The error and how to fix it.
    package let message: String
    /// The deck's word for what it refused, such as `unknown-held`; `nil` for all else.
    let problem: String?
    /// The line of the test that asked for it, if known.
    package private(set) var place: CodePlace?

    /// The error and how to fix it, with file and line of the call where they are known.
    public var description: String {
        self.place.map { "\(self.message) (\($0.fileID):\($0.line))" } ?? self.message
    }

    package init(_ kind: Kind, _ message: String, at place: CodePlace? = nil) {
        self.init(kind, message, problem: nil)
        self.place = place
    }

    init(_ kind: Kind, _ message: String, problem: String?) {
        self.kind = kind
        self.message = message
        self.problem = problem
    }

    init(_ error: any Error) {
        switch error {
        case let error as TapedeckError: self = error
        case let error as ControlError:
            switch error.kind {
            case .noDeck:
                self.init(
                    .noDeck,
                    error.reason
                        + "; name a running one with TAPEDECK_URL, or leave that unset for one of the tests' own"
                )
            case .badURL, .timeout, .interrupted, .notUnderstood: self.init(.noDeck, error.description)
            case .refused(let problem):
                let word = problem.type.split(separator: "/").last.map(String.init)
                self.init(.refused, error.description, problem: word)
            }
        default: self.init(.noDeck, "\(error)")
        }
    }

    /// Adds the test's own words, because the deck knows a matcher by its keys alone.
    func about(_ matcher: RequestMatcher) -> TapedeckError {
        TapedeckError(self.kind, "\(self.message)\n  for \(matcher)", problem: self.problem).at(self.place)
    }

    /// Adds what to do.
    func with(_ remedy: String) -> TapedeckError {
        TapedeckError(self.kind, "\(self.message); \(remedy)", problem: self.problem).at(self.place)
    }

    /// True if there is no such set, variant or profile.
    var isOfSelection: Bool {
        ["unknown-set", "unknown-profile", "bad-selection"].contains(self.problem)
    }

    /// Adds the place of the call, unless there is one.
    func at(_ place: CodePlace?) -> TapedeckError {
        var copy = self
        copy.place = self.place ?? place
        return copy
    }

    public static func == (one: TapedeckError, other: TapedeckError) -> Bool {
        one.kind == other.kind && one.description == other.description && one.problem == other.problem
    }
}
