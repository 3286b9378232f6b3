import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension HeldModel {
    init(_ request: ParkedRequest, version: Int, of session: Session) {
        var entry = JournalEntryModel(whole: request.entry, bodyLimit: JournalEntryModel.largestBodyLimit)
        // There is one, of which nothing is known yet.
        if !request.hasWholeBody, entry.request?.body == nil {
            entry.request?.body = JournalEntryModel.Body(text: "", length: entry.requestBytes, isCut: true)
        }
        self.init(
            number: request.number,
            set: request.set,
            version: version,
            entry: entry.shown(by: session, request.entry)
        )
    }
}

extension TapeAnswerModel {
    init(_ answer: TapeAnswer) {
        switch answer.outcome {
        case .played(let set, let variant): self.init(outcome: "played", set: set, variant: variant)
        case .unmatched: self.init(outcome: "unmatched")
        case .forwarded: self.init(outcome: "forwarded")
        }
        self.take = answer.take.map(TakeModel.init)
        if answer.delay > 0 { self.take?.delay = TimeSpan(milliseconds: Int64(answer.delay)).description }
    }
}

extension TakeModel {
    /// A take whose body is in memory.
    init(_ take: Take) {
        self.init()
        self.fault = take.fault?.rawValue
        self.urlError = take.urlError?.name
        self.detail = take.detail
        guard !take.isFaultAlone else { return }
        self.status = take.status
        self.reason = take.reason
        self.headers = take.headers.map { [$0.name: $0.value] }
        if !take.trailers.isEmpty { self.trailers = take.trailers.map { [$0.name: $0.value] } }
        if case .inline = take.body {
            let body = JournalEntryModel.Body(take, limit: .max)
            self.body = Body(text: body.text, base64: body.base64)
        }
    }
}
