import TapedeckLocking

/// The decks of this process: each is started or asked what it is once. Everything here blocks.
package enum Decks {
    /// Held while a deck starts, so that those who want the same wait for it.
    private static let known = Locked<[DeckChoice: RunningDeck]>([:])

    /// - Throws: ``TapedeckError``. What failed is tried again the next time.
    static func deck(_ choice: DeckChoice, environment: TestEnvironment) throws(TapedeckError) -> RunningDeck {
        let choice = self.resolved(choice, environment)
        do {
            return try self.known.withLock { known in
                if let deck = known[choice] { return deck }
                let deck = try self.open(choice, environment)
                known[choice] = deck
                return deck
            }
        } catch {
            throw TapedeckError(error)
        }
    }

    /// Takes the environment into account: what is left is never ``DeckChoice/automatic``.
    package static func resolved(_ choice: DeckChoice, _ environment: TestEnvironment) -> DeckChoice {
        guard choice == .automatic else { return choice }
        return environment.url.map { .running(url: $0, token: environment.token) } ?? .inProcess
    }

    private static func open(_ choice: DeckChoice, _ environment: TestEnvironment) throws -> RunningDeck {
        switch choice {
        case .running(let url, let token):
            let isNamed = environment.url == url
            return try RunningDeck(url: url, token: token, proxy: isNamed ? environment.proxy : nil)
        case .inProcess, .automatic:
            guard let starter = DeckStarter.registered else {
                throw TapedeckError(
                    .noDeck,
                    "there is no deck: have the test target depend on the product TapedeckTesting, which brings one, or start one "
                        + "and name it with TAPEDECK_URL"
                )
            }
            do {
                let started = try waitBlocking(starter.start)
                return try RunningDeck(url: started.controlURL, token: started.token)
            } catch {
                throw TapedeckError(.noDeck, "the deck inside the test process cannot be started: \(error)")
            }
        }
    }
}

/// Which deck a test uses.
public enum DeckChoice: Sendable, Hashable {
    /// The one that `TAPEDECK_URL` names, with the token of `TAPEDECK_TOKEN`; else the one inside the test process.
    case automatic
    /// The one inside the test process, whatever the environment says: started on first use, one for all tests of the
    /// process, on free ports of the loopback address.
    case inProcess
    /// One that runs already, such as a container.
    ///
    /// - Parameters:
    ///   - url: of its control API, such as `http://127.0.0.1:4748`.
    ///   - token: what steers it, if it has one.
    case running(url: String, token: String? = nil)
}
