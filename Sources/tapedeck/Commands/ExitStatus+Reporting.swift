import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck

extension ExitStatus {
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

    /// Returns the exit code of an error. A deck usually refuses the request; all other errors mean that no deck
    /// answered.
    private static func code(of error: ControlError) -> ExitCode {
        switch error.kind {
        case .badURL: self.badOption
        case .refused(let problem) where problem.type.hasSuffix("/bad-cassette"): self.unusableCassette
        case .refused(let problem) where problem.status < 500: self.badOption
        case .refused, .noDeck, .timeout, .interrupted, .notUnderstood: self.cannotStart
        }
    }
}

/// Says in commands what the control API says in routes.
private enum SteeringWords {
    /// The longer routes first, as some begin like others.
    private static let commands = [
        ("; GET /v1/cassettes lists those there are", " in the deck's folder"),
        ("POST /v1/sessions/default/reset", "`tapedeck reset`"),
        ("POST /v1/sessions", "`tapedeck session create`"),
        ("GET /v1/sessions", "`tapedeck session list`"),
    ]

    /// Returns a message of a deck with the commands that do what its routes do.
    static func commands(in message: String) -> String {
        self.commands.reduce(message) { $0.replacing($1.0, with: $1.1) }
    }
}
