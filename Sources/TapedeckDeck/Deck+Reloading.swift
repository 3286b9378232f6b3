import Logging
package import TapedeckCassettes
import TapedeckControlServer
import TapedeckCore
import TapedeckLocking
import TapedeckProxy
import TapedeckSessions

extension Deck {
    /// The settings of a deck that can change while it runs.
    struct Current: Sendable {
        /// As the command line and its like have it.
        var given: DeckConfiguration
        /// With what the project says.
        var configuration: DeckConfiguration
        var token: DeckToken?
    }

    /// The result of reloading.
    package struct Reloading: Sendable {
        /// The loaded files, in one line.
        package var summary: String
        /// Changes that cannot take effect while the deck runs.
        package var warnings: [String]
    }

    /// The time that a stop waits for exchanges in flight, in seconds.
    var grace: Int { self.current.withLock { $0.configuration.grace } }

    /// Recordings that run, or are being saved: what is lost of them by an end without a save is nothing, as it is in
    /// their journals.
    package var unsavedRecordings: Int { self.context.sessions.configuration.recordings.running }

    /// The number of bytes on disk of running recordings: their journals and body files.
    package var recordedBytes: Int { self.context.sessions.meter.usage.disk }

    /// Applies another configuration, as far as a running deck can: the token, the project's settings, authorities'
    /// certificates, the way to origins, the rules of recording; and reloads all cassettes.
    ///
    /// New connections and new sessions use it. Existing sessions keep their settings, and a recording keeps its
    /// redaction rules to its end. Connections of clients keep their known origins; connections to origins finish their
    /// current requests and take no more. Cassettes are shared: all sessions that play one play the new version, with
    /// the project's pace of streams.
    ///
    /// - Parameter given: the newly read configuration. A change that cannot take effect gives a warning.
    /// - Throws: ``DeckError`` for a mistake anywhere but in a cassette. Nothing has changed then. A cassette that
    ///   cannot be used is reported in the log, and its old version keeps playing.
    package func reload(_ given: DeckConfiguration) async throws(DeckError) -> Reloading {
        do {
            return try await self.reloadUnwrapped(given)
        } catch {
            throw DeckError(error)
        }
    }

    private func reloadUnwrapped(_ given: DeckConfiguration) async throws -> Reloading {
        let old = self.current.withLock { $0 }
        // Everything is read before anything changes.
        let project = try given.project.load()
        let configuration = given.keeping(fixed: self.configuration).over(project)
        try configuration.check()
        try configuration.checkUpstreamCAFiles()
        let token = given.token ?? old.token
        var proxy = try configuration.proxy(token: token, project)
        let running = self.context.configuration
        (proxy.localSite, proxy.secrets, proxy.now) = (running.localSite, running.secrets, running.now)
        let sessions = try Self.sessionSettings(configuration, proxy, project)
        let dials = configuration.mayDialOut
        try await self.context.replace(proxy, checksTrust: dials)
        // From here on nothing fails.
        self.context.sessions.replace(sessions)
        proxy.secrets.replace(project: project.redaction)
        self.current.withLock { $0 = Current(given: given, configuration: configuration, token: token) }
        if let token, token != old.token { self.control?.replace(token: token.value) }

        let (read, changes) = self.context.sessions.library.reloadAll()
        var changed = 0
        for change in changes {
            if case .reloaded(let paths) = change { changed += paths.count }
            self.take(reloaded: change)
        }
        var parts: [String] = []
        if let file = given.tokenFile {
            parts.append("the token of \(file)" + (token == old.token ? "" : " (a new one)"))
        }
        if let path = project.path { parts.append(path) }
        let authorities = dials ? proxy.upstreamCAFiles.count : 0
        if authorities > 0 { parts.append(Plural.text(authorities, "file", "files") + " of authorities") }
        parts.append("\(Plural.text(read, "cassette", "cassettes")) (\(changed) changed)")
        return Reloading(
            summary: "reloaded " + parts.joined(separator: ", "),
            warnings: given.unchangeable(since: self.configuration)
        )
    }

    private func take(reloaded change: CassetteChange) {
        switch change {
        case .reloaded(let paths): self.context.sessions.cassettesChanged(Set(paths))
        case .unusable(let path, let problem):
            self.log.error("\(path) cannot be used; playing on with what was there before\n\(problem)")
        case .missing(let path): self.log.error("\(path) is gone; playing on with what was there before")
        }
    }
}

extension DeckConfiguration {
    /// - Throws: ``DeckError`` for a file with authorities that is not there.
    func checkUpstreamCAFiles() throws(DeckError) {
        for file in self.upstreamCAFiles where !FileContents.exists(file) {
            throw DeckError("there is no file \(file), which --upstream-ca names")
        }
    }

    /// With what cannot change as a running deck has it.
    fileprivate func keeping(fixed running: DeckConfiguration) -> DeckConfiguration {
        var configuration = self
        configuration.host = running.host
        configuration.port = running.port
        configuration.controlPort = running.controlPort
        configuration.reverse = running.reverse
        configuration.requiresSession = running.requiresSession
        configuration.transparent = running.transparent
        configuration.deckName = running.deckName
        configuration.serverNames = running.serverNames
        configuration.secretVariables = running.secretVariables
        return configuration
    }

    /// Returns the changes that a running deck cannot make.
    fileprivate func unchangeable(since running: DeckConfiguration) -> [String] {
        func text(_ value: String?) -> String { value ?? "none" }
        func port(_ value: Int?) -> String { value.map(String.init) ?? "none" }
        func ports(_ ports: [TransparentListening]) -> String {
            ports.isEmpty ? "none" : ports.map { "\($0.port)=\($0.originPort)" }.joined(separator: ", ")
        }
        func names(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
        let settings: [(name: String, now: String, wanted: String)] = [
            ("--host", running.host, self.host),
            ("--port", port(running.port), port(self.port)),
            ("--control-port", port(running.controlPort), port(self.controlPort)),
            ("--reverse", text(running.reverse), text(self.reverse)),
            (
                "--sessions", running.requiresSession ? "required" : "optional",
                self.requiresSession ? "required" : "optional"
            ),
            ("--cassettes", running.folder, self.folder),
            ("--transparent", ports(running.transparent), ports(self.transparent)),
            ("--deck-name", text(running.deckName), text(self.deckName)),
            ("--secret-environment", names(running.secretVariables), names(self.secretVariables)),
            ("--server-name", names(running.serverNames), names(self.serverNames)),
        ]
        let limits =
            self.limits.isAsFixed(as: running.limits)
            ? [] : ["the limits stay as they are while the deck runs; restart it for others"]
        return settings.filter { $0.now != $0.wanted }.map { setting in
            "\(setting.name) stays \(setting.now) while the deck runs; restart it for \(setting.wanted)"
        } + limits
    }
}

extension Deck {
    /// Has sessions play a changed cassette, and says so.
    static func take(_ change: CassetteChange, into sessions: SessionDirectory, log: Logger) {
        switch change {
        case .reloaded(let paths):
            log.notice("reloaded \(paths.joined(separator: ", "))")
            sessions.cassettesChanged(Set(paths))
        case .unusable(let path, let problem):
            log.warning("\(path) has changed and cannot be used; playing on with what was there before\n\(problem)")
        case .missing(let path):
            log.warning("\(path) is gone; playing on with what was there before")
        }
    }
}
