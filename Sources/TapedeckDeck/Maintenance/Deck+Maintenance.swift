import TapedeckCore
import TapedeckProxy
import TapedeckSessions

extension Deck {
    /// The number of exchanges of the default session in its journal so far, and the reason if its recording ended
    /// early.
    var recordingProgress: (exchanges: Int, failure: String?) {
        self.context.sessions.default?.recordingStatus.map { ($0.exchanges, $0.failure) } ?? (0, nil)
    }

    /// Exchanges of the default session's journal without what later ones have shown to be secrets.
    func searchedAgain(_ exchanges: [RecordedExchange]) -> [RecordedExchange] {
        self.context.sessions.default?.searchedAgain(exchanges) ?? exchanges
    }

    /// Ends the recording of the default session and deletes it.
    ///
    /// - Throws: when the recorder cannot be closed.
    func discardRecording() async throws {
        try await self.context.sessions.default?.discardRecording()
    }

    /// The reasons why exchanges were not recorded, in their order. Only the first 100 are known.
    var notRecorded: [String] {
        self.context.sessions.default?.report().troubles.compactMap(\.notRecorded) ?? []
    }
}
