import TapedeckControlAPI
package import TapedeckControlClient
import TapedeckLocking

/// A deck as one test sees it: its own session, with cassettes, selections, take positions, state and journal.
///
/// Get one from ``withTapedeck(_:name:function:fileID:filePath:line:column:isolation:_:)`` and similar functions, from
/// the traits and the base class of `TapedeckTesting`, or, inside these, from ``current``. It ends with the test; later
/// calls throw ``TapedeckError``.
///
/// Methods that change the session and inspect its traffic have two forms: asynchronous ones and, for tests that are
/// not asynchronous, ones without `await`. Methods that wait for requests or run code of the test have only the first,
/// because a blocked thread could be the one that the program under test needs. Synchronous tests use
/// ``expect(_:_:answeredWithin:fileID:filePath:line:column:)``, which is checked at the end.
public final class Tapedeck: Sendable {
    @TaskLocal package static var bound: Tapedeck?

    /// The deck of the running test. Child tasks have it. Detached ones (`Task.detached`, callbacks) have not: hand it to
    /// them.
    ///
    /// - Throws: ``TapedeckError`` outside of a test or block that has a session.
    public static var current: Tapedeck {
        get throws {
            guard let deck = self.bound else {
                throw TapedeckError(
                    .noDeck,
                    "no test with a session runs here: give the test or its suite the trait .tapedeck() or .cassette(…), or use "
                        + "withTapedeck; a detached task or a callback has none either: hand it the deck of its test"
                )
            }
            return deck
        }
    }

    /// The session's name: by default suite, function and arguments.
    public let name: String
    /// The session's mode.
    public let mode: TapedeckMode
    /// The mode of the deck for this session.
    package let deckMode: DeckMode
    /// The seed of all random choices: give ``TapedeckOptions/seed(_:)`` it to repeat them.
    public let seed: UInt64
    package let deck: RunningDeck
    package let session: SessionClient
    /// The session's key, `ID:TOKEN`: the value of the header field `X-Tapedeck-Session`, on a request or a CONNECT,
    /// for clients that can send it.
    public let sessionKey: String
    /// Certificate files for child processes.
    let trust: TrustFolder
    let options: TapedeckOptions
    let ledger = Locked(Ledger())
    /// Has closures answer, and hands held requests to the test.
    let pump = HeldPump()
    /// The advice for a request that nothing on tape answers.
    let remedyOfMiss: String?
    /// The line of the test that opened the session.
    let place: CodePlace
    /// The folder of a recording that goes into no file of the test; `nil` without one.
    let scratch: RecordingScratch?
    /// The cookies and credentials of its clients.
    let storage = SessionStorage()
    /// Has requests of `URLSession.shared` go to this session, where its options say so.
    let catching = Locked<SharedSessionCatch?>(nil)

    init(
        deck: RunningDeck,
        session: SessionModel,
        mode: TapedeckMode,
        deckMode: DeckMode,
        options: TapedeckOptions,
        place: CodePlace,
        isCI: Bool,
        scratch: RecordingScratch? = nil
    ) {
        self.deck = deck
        self.session = deck.control.session(session.id)
        self.sessionKey = session.token.map { "\(session.id):\($0)" } ?? session.id
        self.trust = TrustFolder(certificate: deck.certificateAuthority)
        self.name = session.name
        self.mode = mode
        self.deckMode = deckMode
        self.seed = session.seed
        self.options = options
        self.remedyOfMiss = options.remedyOfMiss(mode, isCI: isCI)
        self.place = place
        self.scratch = scratch
    }

    /// The certificate of the deck's authority, as PEM: what a client must trust to speak HTTPS through the deck.
    public var certificateAuthority: String { self.deck.certificateAuthority }

    /// True if the session began with a recording: always in the modes ``TapedeckMode/new`` and ``TapedeckMode/all``, and in
    /// ``TapedeckMode/once`` if the cassette did not exist.
    public var isRecording: Bool { self.deckMode.records }

    // MARK: Asking the deck

    /// Calls the deck on a thread of its own.
    ///
    /// - Parameter place: the call in the test, for errors.
    func ask<Value: Sendable>(
        at place: CodePlace? = nil,
        _ call: @escaping @Sendable (SessionClient) throws -> Value
    ) async throws -> Value {
        try await OwnThread.run { try self.askBlocking(at: place, call) }
    }

    /// Calls the deck here.
    func askBlocking<Value>(at place: CodePlace? = nil, _ call: (SessionClient) throws -> Value) throws -> Value {
        do {
            return try call(self.session)
        } catch let error where error is ControlError || error is TapedeckError {
            let error = TapedeckError(error).at(place)
            // A session ends with its test, or at the deck; later the deck forgets it.
            guard error.problem == "session-ended" || error.problem == "unknown-session" else { throw error }
            throw TapedeckError(
                .refused,
                "the session \"\(self.name)\" is over: a deck is to be used while its test or block runs, and tasks that "
                    + "use it are to be awaited there",
                problem: error.problem
            ).at(place)
        }
    }
}
