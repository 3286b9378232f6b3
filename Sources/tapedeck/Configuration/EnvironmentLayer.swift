import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

/// The options in the environment.
struct EnvironmentLayer {
    let variables: [String: String]

    /// The setting of an option, if its variable is there.
    ///
    /// - Throws: `DeckError` for a flag that is neither on nor off.
    func setting(of option: DeckOption) throws(DeckError) -> OptionSetting? {
        guard let text = self.variables[option.variable], !Self.isServiceLink(option.variable, text) else { return nil }
        var setting = OptionSetting(option: option, source: .environment(option.variable))
        switch option.kind {
        case .flag, .switchable:
            guard let isOn = Self.flag(text) else {
                throw DeckError(
                    "\(option.variable): \"\(text)\" is neither on nor off; write 1, true, yes or on, or 0, false, no or off",
                    kind: .badOption
                )
            }
            setting.isOn = isOn
        case .value, .variable:
            // In a compose file, for example, variables are always present; an empty one counts as missing.
            guard !text.isEmpty else { return nil }
            setting.values = [text]
        case .repeated(let separator):
            let mark: Character = separator == .commas ? "," : "\n"
            setting.values = text.split(separator: mark).map(Self.trimmed).filter { !$0.isEmpty }
            guard !setting.values.isEmpty else { return nil }
        }
        return setting
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "", "0", "false", "no", "off": false
        default: nil
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    // MARK: Variables that mean nothing

    /// A warning for each variable that looks like Tapedeck's and is not, in order.
    var warnings: [String] {
        let options = Set(DeckOption.table.map(\.variable))
        let known = options.union(Self.others)
        return self.variables.sorted { $0.key < $1.key }.compactMap { name, value in
            guard name.hasPrefix("TAPEDECK_"), !known.contains(name), !Self.isServiceLink(name, value),
                !Self.prefixes.contains(where: name.hasPrefix)
            else { return nil }
            // Without what they have in common, two short names would be near each other.
            let words = known.map { String($0.dropFirst("TAPEDECK_".count)) }
            let hint = Suggestion.hint(String(name.dropFirst("TAPEDECK_".count)), among: words) { "TAPEDECK_\($0)" }
            return "\(name) is no variable of Tapedeck's, and says nothing\(hint)"
        }
    }

    /// Variables for other purposes than a deck's options: set for a deck's children, or used by commands that control
    /// a deck, by tests, and by the build of Tapedeck.
    private static let others: Set<String> = [
        "TAPEDECK_URL", "TAPEDECK_SESSION", "TAPEDECK_PROXY", "TAPEDECK_BASE_URL", "TAPEDECK_MODE", "TAPEDECK_BIN",
        "TAPEDECK_CLIENT_KEY_PASSPHRASE", "TAPEDECK_RUN_BEGAN", "TAPEDECK_TIME",
        "TAPEDECK_ARGS", "TAPEDECK_BENCHMARKS", "TAPEDECK_DOCUMENTATION", "TAPEDECK_FAILING",
    ]
    /// Secrets of live APIs, by name; the project's own tests.
    private static let prefixes = [LiveSecrets.variablePrefix, "TAPEDECK_TEST_"]

    /// Returns true if Kubernetes or a Docker link set the variable because a service is named `tapedeck` or
    /// `tapedeck-…`: `TAPEDECK_PORT=tcp://10.0.0.1:4747` and more.
    static func isServiceLink(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("_PORT"), ["tcp://", "udp://", "sctp://"].contains(where: value.hasPrefix) { return true }
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") {
            return true
        }
        if name == "TAPEDECK_NAME" || name.hasPrefix("TAPEDECK_ENV_") { return true }
        // TAPEDECK_PORT_4747_TCP, and the same with _PROTO, _PORT and _ADDR.
        guard let port = name.firstRange(of: "_PORT_") else { return false }
        let words = name[port.upperBound...].split(separator: "_", omittingEmptySubsequences: false)
        return (2...3).contains(words.count) && Int(words[0]) != nil && ["TCP", "UDP", "SCTP"].contains(words[1])
            && (words.count == 2 || ["PROTO", "PORT", "ADDR"].contains(words[2]))
    }
}
