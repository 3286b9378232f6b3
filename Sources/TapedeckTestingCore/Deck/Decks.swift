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
