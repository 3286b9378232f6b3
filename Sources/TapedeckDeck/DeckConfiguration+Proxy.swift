import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions

extension DeckConfiguration {
    /// Returns the configuration of the proxy.
    ///
    /// - Parameter token: the deck's.
    func proxy(
        token: DeckToken?,
        _ project: ProjectSettings = ProjectSettings()
    ) throws(DeckError) -> ProxyConfiguration {
        var proxy = ProxyConfiguration()
        if let reverse = self.reverse {
            guard let origin = Origin(reverse) else {
                throw DeckError("\(reverse) is no origin; write one such as https://api.example.com")
            }
            proxy.reverseOrigin = origin
        }
        proxy.targets = self.targetRules(reverse: proxy.reverseOrigin)
        let scope = self.upstream.targets.scope ?? (self.requiresToken ? .public : .any)
        proxy.passesLocal = self.passesLocal && !self.requiresToken && scope == .any
        proxy.recording = RecordingRules(self.record)
        proxy.upstreamCAFiles = self.upstreamCAFiles
        proxy.upstreamCAPEM = self.upstreamCAPEM
        proxy.insecureHosts = Set(self.insecureHosts.map(ASCII.lowercased))
        proxy.speaksHTTP2 = self.speaksHTTP2
        proxy.rewritesAddresses = self.rewritesAddresses
        proxy.cleartextHTTP2 = try Self.hosts(self.cleartextHTTP2, "--h2c")
        proxy.connectTimeout = .seconds(Int64(self.connectTimeout))
        proxy.readTimeout = self.readTimeout == 0 ? ProxyConfiguration.noLimit : .seconds(Int64(self.readTimeout))
        proxy.isStrictWithOrigins = self.isStrictWithOrigins
        proxy.headTimeout = .seconds(Int64(self.clientTimeout))
        proxy.bodyTimeout = .seconds(Int64(self.clientTimeout))
        proxy.pages = try self.pages()
        proxy.requiresToken = self.requiresToken
        proxy.deckToken = token?.value
        proxy.matchedBodyLimit = self.limits.matchedBody
        try self.applyUpstream(to: &proxy)
        proxy.secrets = self.secrets(project)
        let offset = self.rules.clockOffset
        if offset != 0 { proxy.now = { Instant.now.advanced(byMilliseconds: offset) } }
        return proxy
    }

    /// The rules for requests that web pages may send.
    private func pages() throws(DeckError) -> PageRules {
        var rules = PageRules()
        rules.names = self.hostNames
        rules.takesAnyName = self.requiresToken
        rules.takesLoopbackPages = !self.requiresToken
        for text in self.pageOrigins {
            guard let origin = Origin(text) else {
                throw DeckError(
                    "--allow-origin takes an origin, such as http://app.test:3000, and no `\(text)`",
                    kind: .badOption
                )
            }
            rules.origins.insert(origin)
        }
        return rules
    }

    /// ``serverNames`` as a Host field has them.
    var hostNames: Set<String> { Set(self.serverNames.map(ASCII.lowercased)) }

    /// Returns the values that play for secrets, and the redaction of texts.
    func secrets(_ project: ProjectSettings) -> DeckSecrets {
        DeckSecrets(project: project.redaction, environment: self.ownEnvironment)
    }

    /// True if other machines can reach the deck.
    var requiresToken: Bool { !ListenerAddress.isLoopback(self.host) }

    /// The token that the deck has: the one given, or a new one where there must be one.
    var effectiveToken: DeckToken? {
        self.token ?? (self.requiresToken ? .make() : nil)
    }

    /// ``sessionTTL`` in seconds, rounded up.
    var sessionTTLSeconds: Int {
        get throws(DeckError) {
            guard let span = try? TimeSpan(self.sessionTTL) else {
                throw DeckError(
                    "\"\(self.sessionTTL)\" is no time for --session-ttl; write a number and ms, s, m or h, such as 30m",
                    kind: .badOption
                )
            }
            guard span.milliseconds >= 1_000 else {
                throw DeckError("--session-ttl takes at least 1s", kind: .badOption)
            }
            return Int((span.milliseconds + 999) / 1_000)
        }
    }

    /// The default session's policy for unmatched requests; `nil` is the mode's.
    var policy: UnmatchedPolicy? {
        get throws(DeckError) {
            guard let unmatched = self.unmatched else { return nil }
            return try UnmatchedOption(unmatched).policy(in: self.mode)
        }
    }

    /// ``streams`` as a pace.
    var streamPace: StreamPace? {
        get throws(DeckError) {
            guard let streams = self.streams else { return nil }
            do throws(StreamPace.Invalid) {
                return try StreamPace(streams)
            } catch {
                throw DeckError("cannot pace streams: \(error)", kind: .badOption)
            }
        }
    }

    /// Refuses what contradicts itself.
    func check() throws(DeckError) {
        if let delay = self.delay { _ = try Self.delay(delay) }
        _ = try self.streamPace
        _ = try self.sessionTTLSeconds
        if let name = self.deckName, !Self.isDeckName(name) {
            throw DeckError(
                "\"\(name)\" is no name of a deck; write 1 to 16 lower-case letters and digits",
                kind: .badOption
            )
        }
        for name in self.serverNames where Origin.split(authority: name).map({ $0.port != nil }) ?? true {
            throw DeckError(
                "--server-name takes a host name without a port, such as deck.test, and no `\(name)`",
                kind: .badOption
            )
        }
        guard self.clientTimeout > 0 else {
            throw DeckError("--client-timeout takes at least 1 second", kind: .badOption)
        }
        guard self.requiresSession else {
            _ = try self.policy
            return
        }
        if self.mode.records {
            throw DeckError(
                "\(self.command) takes down what requests without a session do, which --sessions required refuses; use "
                    + "`tapedeck serve`, and have sessions record",
                kind: .badOption
            )
        }
        guard self.controlPort != nil else {
            throw DeckError(
                "without the control API no session can be created: leave out --no-control, or --sessions required",
                kind: .badOption
            )
        }
        let idle: [(option: String, isGiven: Bool)] = [
            ("--select", !self.selections.isEmpty), ("--profile", !self.profiles.isEmpty),
            ("--state", !self.state.isEmpty), ("--seed", self.seed != nil), ("--unmatched", self.unmatched != nil),
        ]
        if let option = idle.first(where: \.isGiven)?.option {
            let remedy =
                self.command == "serve" && self.cassettes.isEmpty
                ? "name a cassette for them, or give it to `tapedeck session create`"
                : "give it to `tapedeck session create`"
            throw DeckError(
                "\(option) is for requests that name no session, and here every request must name one; \(remedy)",
                kind: .badOption
            )
        }
    }
}
