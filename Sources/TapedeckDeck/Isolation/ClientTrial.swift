package import TapedeckCassettes
import TapedeckCore
package import TapedeckProxy
import TapedeckSessions

/// A run that finds out which requests of a command reach a deck through variables.
///
/// The command has the variables of `record` and `replay`, and also runs in its own network: requests through the proxy
/// belong to the default session, and those that ignore the variables to another session.
package struct ClientTrial: Sendable {
    /// The requests to one origin.
    package struct Row: Sendable, Equatable {
        /// Such as `https://api.example.com`.
        package var origin: String
        package var requests: Int
    }

    private let deck: Deck
    private let past: Session

    /// - Parameter deck: one that passes everything through.
    package init(_ deck: Deck) throws(DeckError) {
        self.deck = deck
        do {
            self.past = try deck.context.sessions.create(.init(mode: .passthrough, cassettes: []))
        } catch {
            throw DeckError("cannot make a session for requests past the proxy: \(error)")
        }
    }

    /// Serves the sockets of the command's network until the deck stops.
    ///
    /// - Throws: ``DeckError`` if a socket cannot be taken over.
    package func serve(_ sockets: [IsolatedSocket]) async throws(DeckError) {
        try await self.deck.serve(sockets, in: self.past)
    }

    /// The requests that came through the proxy, by origin.
    package var byVariables: [Row] { self.deck.context.sessions.default.map(Self.rows) ?? [] }
    /// The requests that ignored the variables, by origin.
    package var pastTheProxy: [Row] { Self.rows(self.past) }
    /// The hosts for which a client gave up TLS.
    package var untrusted: [String] { self.deck.context.untrustedHosts.sorted() }

    private static func rows(_ session: Session) -> [Row] {
        var counts: [String: Int] = [:]
        for entry in session.journal.view().entries { counts[entry.request.origin.description, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { Row(origin: $0.key, requests: $0.value) }
    }
}
