/// Every option of the commands that run a deck. Held against what the commands offer, and against docs/configuration.md,
/// by tests.
extension DeckOption {
    /// The commands that run a deck.
    static let runningCommands: Set<String> = ["record", "append", "replay", "passthrough", "serve"]

    private static let all = runningCommands
    private static let playing: Set<String> = ["append", "replay", "serve"]
    private static let recording: Set<String> = ["record", "append", "serve"]
    private static let live: Set<String> = all.union(["refresh", "drift"])
    private static let scanning: Set<String> = recording.union(["refresh", "drift"])
    private static let listening: Set<String> = all.union(["health"])
    private static let project: Set<String> = listening.union(["refresh", "drift", "scan", "scrub"])
    private static let reading: Set<String> = all.union([
        "show", "check", "explain", "refresh", "drift", "diff", "suggest", "prune", "scan", "scrub",
    ])

    static let table: [DeckOption] = [
        // Where the deck listens.
        DeckOption("host", default: "127.0.0.1", in: listening),
        DeckOption("port", default: "4747, or a free one for a command", in: listening),
        DeckOption("control-port", default: "the one after --port, or a free one", in: listening)
            .with { $0.excludes = ["no-control"] },
        DeckOption("no-control", .flag, default: "off", in: listening).with { $0.excludes = ["control-port"] },
        DeckOption("reverse", in: all),
        DeckOption("server-name", .repeated(.commas), in: all),
        DeckOption("allow-origin", .repeated(.commas), in: all),
        DeckOption("secret-environment", .repeated(.commas), default: "those of the cassettes named", in: all),
        DeckOption("client-timeout", default: "60", in: all),
        DeckOption("transparent", .repeated(.commas), in: all),
        DeckOption("deck-name", in: all),
        DeckOption("browser", in: all).with { $0.place = .nowhere },
        DeckOption("sessions", default: "optional; required for serve without a cassette", in: all),
        DeckOption("session-ttl", default: "1h", in: all),
        DeckOption("token-file", in: all).with { ($0.isPath, $0.excludes) = (true, ["token"]) },
        DeckOption("token", .variable, default: "none, or a new one where other machines reach the deck", in: all)
            .with { ($0.isSecret, $0.place, $0.excludes) = (true, .nowhere, ["token-file"]) },
        // What it may use at most.
        DeckOption("max-connections", default: "10000", in: all),
        DeckOption("max-session-connections", default: "2500", in: all),
        DeckOption("max-requests", default: "10000", in: all),
        DeckOption("max-session-requests", default: "2500", in: all),
        DeckOption("max-sessions", default: "20000", in: all),
        DeckOption("max-files", default: "512M", in: all),
        DeckOption("max-matched-body", default: "1M", in: all),
        DeckOption("journal-size", default: "256M", in: all),
        DeckOption("session-journal-size", default: "16M", in: all),
        DeckOption("max-disk", default: "16G", in: all),
        DeckOption("max-session-disk", default: "4G", in: all),
        DeckOption("min-free-disk", default: "64M", in: all),
        DeckOption("max-archive", default: "1G", in: all),
        DeckOption("grace", default: "5", in: all),
        // Files.
        DeckOption("cassettes", default: "cassettes", in: reading).with { $0.isPath = true },
        DeckOption("ca-dir", .variable, default: "tapedeck in XDG_DATA_HOME or ~/.local/share", in: all)
            .with { $0.place = .nowhere },
        DeckOption("project", default: "tapedeck.yaml, here or above", in: project)
            .with { ($0.place, $0.excludes) = (.nowhere, ["no-project"]) },
        DeckOption("no-project", .flag, default: "off", in: project)
            .with { ($0.place, $0.excludes) = (.nowhere, ["project"]) },
        DeckOption("report", in: playing).with { ($0.isPath, $0.hasVariableOfItsOwn) = (true, true) },
        // What is played.
        DeckOption("select", .repeated(.lines), in: playing).with { $0.isForDefaultSession = true },
        DeckOption("profile", .repeated(.lines), in: playing).with { $0.isForDefaultSession = true },
        DeckOption("state", .repeated(.lines), in: playing).with { $0.isForDefaultSession = true },
        DeckOption("seed", default: "another one each time", in: playing).with { $0.isForDefaultSession = true },
        DeckOption("delay", in: playing),
        DeckOption("streams", default: "as the cassette says, else instant", in: playing)
            .with { $0.place = .section("streams", addsUp: false) },
        DeckOption("unmatched", default: "fail; record with append", in: playing)
            .with { $0.isForDefaultSession = true },
        DeckOption("allow-passthrough", .flag, default: "off", in: ["replay", "serve"]),
        DeckOption("allow-unmatched", .flag, default: "off", in: all),
        DeckOption("allow-unused", .flag, default: "off", in: all),
        // What is recorded.
        DeckOption("only", .repeated(.lines), in: recording).with { $0.place = .section("record.only", addsUp: false) },
        DeckOption("except", .repeated(.lines), in: recording.union(playing))
            .with { $0.place = .section("record.except", addsUp: true) },
        DeckOption("passthrough", .repeated(.lines), in: all)
            .with { $0.place = .section("record.passthrough", addsUp: true) },
        DeckOption("block", .repeated(.lines), in: all).with { $0.place = .section("record.block", addsUp: true) },
        DeckOption("loopback", .switchable, default: "off", in: recording)
            .with { $0.place = .section("record.loopback", addsUp: false) },
        DeckOption("no-local", .flag, default: "off", in: recording.union(playing)),
        DeckOption("keep-headers", default: "the usual ones", in: recording)
            .with { $0.place = .section("record.keepHeaders", addsUp: false) },
        DeckOption("max-body", in: recording).with { $0.place = .section("record.maxBody", addsUp: false) },
        DeckOption("status", default: "all", in: recording)
            .with { $0.place = .section("record.statuses", addsUp: false) },
        DeckOption("record-failures", .switchable, default: "where they replace no answer", in: recording)
            .with { $0.place = .section("record.failures", addsUp: false) },
        DeckOption("strict", .flag, default: "off", in: recording),
        DeckOption("scan-limit", default: "4M", in: scanning),
        DeckOption("allow-unscanned", .flag, default: "off", in: scanning),
        // How origins are reached.
        DeckOption("upstream-proxy", default: "http_proxy, HTTPS_PROXY, ALL_PROXY", in: live)
            .with { ($0.place, $0.excludes) = (.section("upstream.proxy", addsUp: false), ["no-upstream-proxy"]) },
        DeckOption("no-upstream-proxy", .flag, default: "off", in: live)
            .with { ($0.place, $0.excludes) = (.nowhere, ["upstream-proxy"]) },
        DeckOption("upstream-ca", .repeated(.commas), in: live)
            .with { ($0.place, $0.isPath) = (.section("upstream.ca", addsUp: true), true) },
        DeckOption("insecure-upstream", .repeated(.commas), in: live),
        DeckOption("client-cert", .repeated(.lines), in: live)
            .with { $0.place = .section("upstream.clientCertificates", addsUp: true) },
        DeckOption("resolve", .repeated(.lines), in: live).with {
            $0.place = .section("upstream.resolve", addsUp: true)
        },
        DeckOption("targets", default: "any on loopback, else public", in: live)
            .with { $0.place = .section("upstream.targets", addsUp: false) },
        DeckOption("allow-private", .repeated(.lines), in: live)
            .with { $0.place = .section("upstream.allowPrivate", addsUp: false) },
        DeckOption("allow-hosts", .repeated(.lines), in: live)
            .with { $0.place = .section("upstream.hosts", addsUp: false) },
        DeckOption("connect-timeout", default: "10", in: live),
        DeckOption("read-timeout", default: "60", in: live),
        // What is said about it.
        DeckOption("log-format", default: "text", in: all),
        DeckOption("log-level", default: "notice, warning with a command, debug with --verbose", in: all),
        DeckOption("verbose", .flag, default: "off", in: all),
    ]

    /// The options of a command, in the order of the table.
    static func options(of command: String) -> [DeckOption] {
        self.table.filter { $0.commands.contains(command) }
    }
}
