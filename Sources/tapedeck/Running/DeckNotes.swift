import Logging
import TapedeckDeck

/// The lines at the start and the end of a deck.
enum DeckNotes {
    /// Prints the leftovers of an interrupted run, and a new token.
    static func start(of deck: Deck) {
        for (path, exchanges, effect) in deck.recovered {
            let what = exchanges == 1 ? "1 exchange is" : "\(exchanges) exchanges are"
            var fields: [(String, LogLine.Value)] = [("cassette", .text(path)), ("exchanges", .number(exchanges))]
            if !effect.isEmpty { fields.append(("details", .list(effect.map(LogLine.Value.text)))) }
            Terminal.note(.notice, "took up an interrupted recording", fields) {
                ["took up an interrupted recording: \(what) now in \(path)"] + effect
            }
        }
        if let token = deck.token, token.isMade {
            Terminal.note(
                "other machines can reach this deck, so it has a token: export TAPEDECK_TOKEN=\(token.value)",
                message: "other machines can reach this deck, so it has a token, which is shown only here",
                fields: [("token", .text(token.value))]
            )
        }
    }

    /// Prints the address of a serving deck, and how to use it.
    ///
    /// - Parameters:
    ///   - reverse: the origin for which the address is a base URL, if any.
    ///   - bundle: the path of the certificates that clients must trust; `nil` if it could not be written.
    static func serving(_ deck: Deck, reverse: String?, bundle: String?) {
        var fields: [(String, LogLine.Value)] = [("mode", .text(deck.title)), ("url", .text(deck.url))]
        if let url = deck.controlURL { fields.append(("controlURL", .text(url))) }
        if let reverse { fields.append(("reverse", .text(reverse))) }
        if let seed = deck.seed { fields.append(("seed", .text(String(seed)))) }
        fields.append(("sessions", .text(deck.configuration.requiresSession ? "required" : "optional")))
        if !deck.transparent.isEmpty {
            fields.append(("transparent", .list(deck.transparent.map { .text("\($0.port)=\($0.originPort)") })))
        }
        fields.append(("trust", .text(bundle ?? self.certificate(of: deck))))
        fields.append(("version", .text(Deck.version)))
        Terminal.note(.notice, "serving", fields) { self.lines(deck, reverse: reverse, bundle: bundle) }
    }

    /// The place of the authority's certificate, for clients.
    private static func certificate(of deck: Deck) -> String {
        deck.controlURL.map { "\($0)/v1/ca.pem" } ?? "http://tapedeck.local/"
    }

    private static func lines(_ deck: Deck, reverse: String?, bundle: String?) -> [String] {
        var lines = ["\(deck.title) at \(deck.url) (Ctrl-C \(deck.records ? "saves and stops" : "stops"))"]
        if let seed = deck.seed { lines.append(DeckSummary.seedLine(seed)) }
        if let reverse { lines.append("  as a base URL, in place of \(reverse):  \(deck.url)") }
        if deck.configuration.requiresSession {
            lines.append("  every request must name a session:  tapedeck session create CASSETTE")
        } else {
            // The token is not printed again: the shell has it.
            let proxy = deck.proxyURL(token: "$TAPEDECK_TOKEN")
            lines.append("  as a proxy:   export http_proxy=\(proxy) https_proxy=\(proxy) no_proxy=")
        }
        lines += deck.transparent.map(\.line)
        if let url = deck.controlURL {
            lines.append("  to steer it:  \(url)   (a page for the browser; or tapedeck select, journal, …)")
        }
        let trust =
            bundle.map { "export SSL_CERT_FILE=\($0)   (for others: tapedeck ca env)" } ?? self.certificate(of: deck)
        lines.append("  to trust it:  \(trust)")
        return lines
    }

    /// Prints the result of a run.
    ///
    /// - Parameters:
    ///   - ranCommand: true if the deck ran a command.
    ///   - saidReasons: true if the log has the reason for each unmatched request.
    static func end(_ report: DeckReport, ranCommand: Bool, saidReasons: Bool) {
        let lines = DeckSummary(report, ranCommand: ranCommand, saidReasons: saidReasons).lines
        var fields: [(String, LogLine.Value)] = [
            ("connectionsOpened", .number(report.connectionsOpened)), ("unmatched", .number(report.unmatchedInAll)),
        ]
        if lines.count > 1 { fields.append(("details", .list(lines.dropFirst().map(LogLine.Value.text)))) }
        Terminal.note(.notice, lines.first ?? "stopped", fields) { lines }
    }

    /// Prints the addresses that an isolated command could reach.
    static func isolated(_ deck: Deck, _ ports: IsolatedPorts) {
        let deckAlone = deck.configuration.mayDialOut ? "this deck" : "this deck, which connected to nothing"
        let foreign = ports.foreign.map(String.init)
        let named = foreign.count > 5 ? "\(foreign.count) ports" : "port \(foreign.joined(separator: ", "))"
        let local = foreign.isEmpty ? "" : ", and to \(named) of this machine (--no-local keeps it from those)"
        Terminal.note(
            "isolated: no connection of the command could lead anywhere but to \(deckAlone)\(local)",
            message: "the command was isolated",
            fields: [("loopbackPorts", .list(ports.foreign.map(LogLine.Value.number)))]
        )
        guard ports.leftOut > 0 else { return }
        let left = ports.leftOut == 1 ? "a service" : "\(ports.leftOut) services"
        Terminal.note(
            "\(left) of this machine could not be reached, those of the highest ports: there were too many",
            .warning
        )
    }

    /// A stop has taken all the time that it may take.
    static func late(_ unsaved: Int) {
        guard unsaved > 0 else {
            Terminal.note("stopped before everything was closed, as it took too long; nothing is lost", .warning)
            return
        }
        let recordings = unsaved == 1 ? "1 recording was" : "\(unsaved) recordings were"
        Terminal.note(
            "\(recordings) not saved in time; the next recording of a cassette saves what its journal holds",
            .error
        )
    }
}
