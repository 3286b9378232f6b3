import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck

/// Exit codes of Tapedeck's own (sysexits.h).
enum ExitStatus {
    /// There is something that was asked for: a difference, a secret, something to remove.
    static let found = ExitCode(1)
    static let badOption = ExitCode.validationFailure
    static let unusableCassette = ExitCode(65)
    /// Also where no origin could be asked again.
    static let cannotStart = ExitCode(69)
    static let unmatched = ExitCode(70)
    static let notSaved = ExitCode(74)

    /// Runs `work`; says what went wrong in it, and ends with the code for that.
    static func reporting(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as DeckError {
            Terminal.note(RunningOptions.placed(error.description), .error)
            switch error.kind {
            case .unusableCassette, .unknownSecrets: throw self.unusableCassette
            case .cannotStart: throw self.cannotStart
            case .notSaved: throw self.notSaved
            case .badOption: throw self.badOption
            }
        } catch let error as ControlError {
            Terminal.note(SteeringWords.commands(in: error.description), .error)
            throw self.code(of: error)
        }
    }

    /// Returns the exit code of an error. A deck usually refuses the request; all other errors mean that there is no
    /// deck.
    private static func code(of error: ControlError) -> ExitCode {
        switch error.kind {
        case .badURL: self.badOption
        case .refused(let problem) where problem.type.hasSuffix("/bad-cassette"): self.unusableCassette
        case .refused(let problem) where problem.status < 500: self.badOption
        case .refused, .noDeck, .timeout, .interrupted, .notUnderstood: self.cannotStart
        }
    }
}
