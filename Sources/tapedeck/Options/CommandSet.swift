/// Commands that have an option, by name.
struct CommandSet: Sendable, Equatable {
    let names: Set<String>

    init(_ names: Set<String>) {
        self.names = names
    }

    func contains(_ name: String) -> Bool { self.names.contains(name) }

    func union(_ other: CommandSet) -> CommandSet { CommandSet(self.names.union(other.names)) }

    /// The commands that run a deck.
    static let running = CommandSet(["record", "append", "replay", "passthrough", "serve"])
    static let playing = CommandSet(["append", "replay", "serve"])
    static let recording = CommandSet(["record", "append", "serve"])
    /// The commands that may send requests to origins.
    static let live = running.union(CommandSet(["refresh", "drift"]))
    /// The commands that search what they record for secrets.
    static let scanning = recording.union(CommandSet(["refresh", "drift"]))
    /// The commands that know where a deck listens.
    static let listening = running.union(CommandSet(["health"]))
    /// The commands that read the project file.
    static let project = listening.union(CommandSet(["refresh", "drift", "scan", "scrub"]))
    /// The commands that read cassettes.
    static let reading = running.union(
        CommandSet([
            "show", "check", "explain", "refresh", "drift", "diff", "suggest", "ignore", "prune", "scan", "scrub",
            "matrix",
            "set", "variant", "take", "merge", "split", "edit",
            "coverage",
        ])
    )
}
