import TapedeckHTTP1
import TapedeckSessions

extension ExchangeTrace {
    /// Something else than what stands on tape is sent.
    func answer(_ response: PlayableResponse) {
        guard let head = response.finalHead else { return }
        self.answer(head, fault: response.fault, body: response.body, length: response.bodyLength)
    }
}

extension JournalEntry.Ending {
    init(_ ending: PlayableResponse.Ending) {
        self =
            switch ending {
            case .keepAlive, .close: .complete
            case .cut: .cut
            case .reset: .reset
            }
    }
}
