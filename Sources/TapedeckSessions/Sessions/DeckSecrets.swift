package import TapedeckCore
import TapedeckLocking
package import TapedeckRedaction

/// The data for playing cassettes with placeholders and for redacting texts: the project's rules, the environment, and
/// the settings of each tape's cassettes. Shared by all sessions and event loops.
package final class DeckSecrets: Sendable {
    private struct State {
        var tapes: [Int: TapeSecrets] = [:]
        /// The number of entries at which those with a released tape are removed.
        var sweepAt = 16
        var project: RedactionSettings
        /// The rules of tapes without their own.
        var projectRules: RedactionRules?
    }

    private let environment: [String: String]
    private let state: Locked<State>

    /// - Parameters:
    ///   - project: the rules that go for all cassettes.
    ///   - environment: the deck's, where secrets and rules name variables.
    package init(project: RedactionSettings = RedactionSettings(), environment: [String: String] = [:]) {
        self.state = Locked(State(project: project))
        self.environment = environment
    }

    /// Returns the secrets of a tape's cassettes.
    package func of(_ tape: Tape) -> TapeSecrets {
        self.state.withLock { state in
            if let known = state.tapes[tape.serial] { return known }
            if state.tapes.count >= state.sweepAt {
                state.tapes = state.tapes.filter { !$0.value.isStale }
                state.sweepAt = max(16, state.tapes.count * 2)
            }
            let described = tape.cassettes.flatMap(\.secrets)
            // A secret that matchers name without a description is a token; it must be recognised when it comes back.
            let named = Set(tape.secretNames.all).subtracting(described.map(\.name)).sorted()
            let secrets = described + named.map { SecretDescription(name: $0) }
            let made = TapeSecrets(tape, values: SecretValues(secrets, environment: self.environment, signer: .madeUp))
            state.tapes[tape.serial] = made
            return made
        }
    }

    /// Returns the rules of the tape's cassettes and of the project, compiled. Those of a tape are compiled each time;
    /// frequent callers keep them.
    func rules(of tape: Tape) -> RedactionRules {
        let own = tape.cassettes.map(\.redaction).filter { !$0.isEmpty }
        guard own.isEmpty else { return self.compile(own + [self.state.withLock { $0.project }]) }
        return self.state.withLock { state in
            if let rules = state.projectRules { return rules }
            let rules = self.compile([state.project])
            state.projectRules = rules
            return rules
        }
    }

    /// Uses other rules of the project for sessions once they begin or play another tape.
    package func replace(project: RedactionSettings) {
        self.state.withLock { state in
            state.project = project
            state.projectRules = nil
        }
    }

    /// Compiles rules. Errors are reported where the rules are read; here the built-in ones are better than none.
    private func compile(_ settings: [RedactionSettings]) -> RedactionRules {
        (try? RedactionRules(settings, environment: self.environment)) ?? .builtIn
    }
}

/// The values that are played for the secrets of a tape.
package final class TapeSecrets: Sendable {
    package let values: SecretValues
    private let life: WeakLife

    init(_ tape: Tape, values: SecretValues) {
        self.values = values
        self.life = WeakLife(tape.life)
    }

    /// True if the tape is gone.
    var isStale: Bool { self.life.isOver }
}

/// A weak reference that tells if a tape still exists.
private final class WeakLife: Sendable {
    private struct Reference {
        weak var life: Tape.Life?
    }

    private let reference: Locked<Reference>

    init(_ life: Tape.Life) {
        self.reference = Locked(Reference(life: life))
    }

    var isOver: Bool { self.reference.withLock { $0.life == nil } }
}
