public import Foundation
import TapedeckLocking

/// The decks of this process: each is started or asked what it is once. Everything here blocks.
package enum Decks {
    /// A deck, found by a choice and the environment.
    package enum Resolved: Sendable, Hashable {
        case running(url: String, token: String?)
        case inProcess
        /// - path: of the program; `nil` looks for it in `PATH`.
        case child(path: String?)
    }

    /// Held while a deck starts, so that those who want the same wait for it.
    private static let known = Locked<[Resolved: RunningDeck]>([:])

    /// - Throws: ``TapedeckError``. A failed start is tried again the next time.
    static func deck(_ choice: DeckChoice, environment: TestEnvironment) throws(TapedeckError) -> RunningDeck {
        let resolved = self.resolved(choice, environment)
        do {
            return try self.known.withLock { known in
                if let deck = known[resolved] { return deck }
                let deck = try self.open(resolved, environment)
                known[resolved] = deck
                return deck
            }
        } catch {
            throw TapedeckError(error)
        }
    }

    /// Takes the environment into account, and what is linked.
    package static func resolved(
        _ choice: DeckChoice,
        _ environment: TestEnvironment,
        isLinked: Bool = DeckStarter.registered != nil
    ) -> Resolved {
        switch choice {
        case .running(let url, let token): .running(url: url.absoluteString, token: token)
        case .inProcess: .inProcess
        case .childProcess(let path): .child(path: path ?? environment.binary)
        case .automatic:
            if let url = environment.url {
                .running(url: url, token: environment.token)
            } else if environment.binary != nil || !isLinked {
                .child(path: environment.binary)
            } else {
                .inProcess
            }
        }
    }

    private static func open(_ deck: Resolved, _ environment: TestEnvironment) throws -> RunningDeck {
        switch deck {
        case .running(let url, let token):
            let isNamed = environment.url == url
            return try RunningDeck(url: url, token: token, proxy: isNamed ? environment.proxy : nil)
        case .child(let path):
            let started = try ChildDeck.start(path)
            return try RunningDeck(url: started.controlURL, token: started.token)
        case .inProcess:
            guard let starter = DeckStarter.registered else {
                throw TapedeckError(
                    .noDeck,
                    "no deck is linked: have the test target depend on the product TapedeckEmbedded, or leave out "
                        + "`.deck(.inProcess)` for one that runs as a child process"
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

/// The deck that a test uses.
public enum DeckChoice: Sendable, Hashable {
    /// The one that `TAPEDECK_URL` names, with the token of `TAPEDECK_TOKEN`; else a child process of the program that
    /// `TAPEDECK_BIN` names; else the one inside the test process, where the product `TapedeckEmbedded` is linked; else a
    /// child process of the program `tapedeck` in `PATH`.
    case automatic
    /// The deck inside the test process, whatever the environment says: started on first use, one for all tests of the
    /// process, on free loopback ports.
    case inProcess
    /// A process of the program `tapedeck`, which ends with the test process: started on first use, one for all tests of the
    /// process. Nothing of the deck is linked into the tests. On Linux and macOS.
    ///
    /// - Parameter path: of the program; that of `TAPEDECK_BIN`, else `tapedeck` in `PATH`, unless given.
    case childProcess(path: String? = nil)
    /// One that runs already, such as a container.
    ///
    /// - Parameters:
    ///   - url: of its control API, such as `http://127.0.0.1:4748`.
    ///   - token: what steers it, if it has one.
    case running(url: URL, token: String? = nil)
}
