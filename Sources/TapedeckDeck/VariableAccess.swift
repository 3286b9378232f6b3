import TapedeckCassettes
import TapedeckCore
import TapedeckLocking

/// The variables of the deck's environment that cassettes may name, as values of secrets and in rules of redaction.
///
/// Anybody who steers a deck can give it cassettes, and would otherwise read its environment by them. So a variable is
/// available to
///
/// - a cassette that the start of the deck names, if its file named the variable then, and
/// - every cassette, if the variable was named by `--secret-environment`, or if it tells which machine it is and no other machine
///   reaches the deck.
///
/// The deck's own variables, `TAPEDECK_…`, are available to none.
final class VariableAccess: Sendable {
    private struct State {
        /// By the paths of the cassettes that the start names.
        var ofCassettes: [String: Set<String>] = [:]
        var hasStarted = false
    }

    private let named: Set<String>
    private let paths: Set<String>
    private let takesPaths: Bool
    private let takesOwn: Bool
    /// True if the program under test is on the machine of the deck.
    private let isLocal: Bool
    private let state = Locked(State())

    init(_ configuration: DeckConfiguration) {
        self.named = Set(configuration.secretVariables)
        self.paths = Set(configuration.cassettes.map(\.path))
        self.takesPaths = configuration.takesPaths
        self.takesOwn = configuration.playsOwnVariables
        self.isLocal = !configuration.requiresToken
    }

    /// Ends the start: from here on the cassettes that it named have the variables that they have by now.
    func endStart() {
        self.state.withLock { $0.hasStarted = true }
    }

    /// Returns the cassette without the variables that are not available to it, and the names of those. A secret without
    /// its variable is played with a made-up value; a rule of redaction without it is dropped.
    func restricted(_ cassette: Cassette) -> (cassette: Cassette, refused: [String]) {
        let named = Self.variables(of: cassette)
        guard !named.isEmpty else { return (cassette, []) }
        let refused = named.subtracting(self.available(named, to: cassette.path ?? ""))
        guard !refused.isEmpty else { return (cassette, []) }
        var cassette = cassette
        for index in cassette.secrets.indices {
            if let variable = cassette.secrets[index].environment, refused.contains(variable) {
                cassette.secrets[index].environment = nil
            }
        }
        cassette.redaction.rules.removeAll { rule in
            if case .environment(let variable) = rule.place { refused.contains(variable) } else { false }
        }
        // Elsewhere made-up values are as good.
        return (cassette, refused.filter { MachineIdentity(variable: $0) == nil }.sorted())
    }

    private func available(_ names: Set<String>, to path: String) -> Set<String> {
        let trusted: Set<String>
        if self.takesPaths, path.hasPrefix("/") {
            trusted = names
        } else {
            trusted = self.state.withLock { state in
                if !state.hasStarted, self.paths.contains(path) {
                    state.ofCassettes[path, default: []].formUnion(names)
                }
                return state.ofCassettes[path, default: []]
            }
        }
        return names.filter { name in
            guard trusted.contains(name) || self.named.contains(name) else {
                return self.isLocal && MachineIdentity(variable: name) != nil
            }
            return self.takesOwn || !name.hasPrefix(SecretDescription.ownVariables)
        }
    }

    private static func variables(of cassette: Cassette) -> Set<String> {
        var names = Set(cassette.secrets.compactMap(\.environment))
        for rule in cassette.redaction.rules {
            if case .environment(let variable) = rule.place { names.insert(variable) }
        }
        return names
    }
}
