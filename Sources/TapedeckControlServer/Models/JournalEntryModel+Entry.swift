import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension JournalEntryModel {
    /// An entry without headers and bodies.
    init(_ entry: JournalEntry) {
        let line = entry.request.line
        self.init(
            number: entry.number,
            version: entry.version,
            time: entry.time.text(.rfc3339Milliseconds),
            method: line.method,
            url: line.url.description,
            protocol: entry.request.protocolName,
            outcome: Self.outcome(of: entry)
        )
        self.stream = entry.request.stream > 0 ? Int(entry.request.stream) : nil
        self.requestBytes = entry.requestBody?.length ?? 0
        self.milliseconds = entry.microseconds.map { Double($0) / 1_000 }
        self.ending = entry.ending?.rawValue
        switch entry.outcome {
        case .pending, .forwarded: break
        case .played(let answer):
            let names = answer.names
            self.note(names, hasBegun: entry.hasBegun)
            self.add(note: Self.remark(on: entry, answeredBy: names, except: answer.variedPlaces))
            self.add(note: names.take.expiry(at: entry.time, names.time)?.text)
            self.add(note: names.madeUpValues)
        case .unmatched(let report): self.unmatched = Unmatched(report)
        case .refused(let reason): self.reason = reason
        }
        if let response = entry.response { self.note(response) }
        if entry.request.isUnnamed { self.add(note: Self.unnamed) }
    }

    private mutating func add(note: String?) {
        guard let note else { return }
        self.note = self.note.map { "\($0); \(note)" } ?? note
    }

    /// The place where a body differs from the one that its answer was recorded for.
    private static func remark(
        on entry: JournalEntry,
        answeredBy names: PlayedAnswer.Names,
        except varied: [String]
    ) -> String? {
        var recorded = names.wantedBody
        if case .inline(let body)? = names.take.request?.body { recorded = body }
        guard let recorded, names.take.recorded != nil, let body = entry.requestBody, body.isWhole else { return nil }
        let fields = entry.request.fields
        return recorded.remark(
            on: ReadableBody(body, fields).bytes,
            fields,
            recordedWith: names.take.request?.headers ?? [],
            except: varied
        )
    }

    /// For a request of the default session while there are others.
    private static let unnamed =
        "it named no session, so it is the default one's, although there are others; some clients drop proxy credentials "
        + "without a password, so write http://ID:@HOST:PORT"

    /// The word for what was done about the request.
    static func outcome(of entry: JournalEntry) -> String {
        if entry.isCancelled { return "cancelled" }
        return switch entry.outcome {
        case .pending: "pending"
        case .played: entry.hasBegun ? "played" : "pending"
        case .forwarded(let recorded): recorded ? "recorded" : "passedThrough"
        case .unmatched: "unmatched"
        case .refused: "refused"
        }
    }

    /// All words for what can be done about a request.
    static let outcomes = [
        "pending", "played", "recorded", "passedThrough", "unmatched", "refused", "cancelled",
    ]

    private mutating func note(_ names: PlayedAnswer.Names, hasBegun: Bool) {
        self.played = Played(
            set: names.set,
            cassette: names.cassette,
            variant: names.variant,
            take: names.number,
            rule: names.rule,
            recorded: names.take.recordedTime?.rfc3339
        )
        // A client that went away during a delay got nothing, and one that waits has nothing yet.
        guard hasBegun else { return }
        let take = names.take
        self.fault = take.fault?.rawValue
        self.code = take.faultOptions.code?.name
        self.status = take.isFaultAlone ? take.fault?.gatewayStatus : take.status
        self.responseBytes = take.isFaultAlone ? 0 : take.body.decodedSize
        self.mediaType = Self.mediaType(take.headers)
    }

    /// The values that were sent take precedence over those on tape.
    private mutating func note(_ response: JournalResponse) {
        self.status = response.status == 0 ? nil : response.status
        self.fault = response.fault?.rawValue
        self.code = response.faultCode?.name
        self.reason = self.reason ?? response.notRecorded
        self.responseBytes = response.body.length
        self.mediaType = Self.mediaType(response.fields)
        self.add(note: response.note)
    }

    private static func mediaType(_ fields: [HeaderField]) -> String? {
        fields.first(named: "content-type").map { value in
            ASCII.lowercased(String(value.prefix { $0 != ";" && $0 != " " }))
        }
    }
}

extension JournalEntryModel.Unmatched {
    init(_ report: UnmatchedReport) {
        self.init(
            reason: report.reasonName,
            message: report.summary,
            remedy: report.remedy,
            nearest: report.nearest.map { miss in
                JournalEntryModel.NearMiss(
                    set: miss.set,
                    cassette: miss.cassette,
                    parts: miss.parts.map { part in
                        // Of what varies helpers would say that it is wrong.
                        let isMet = !miss.differing.contains(part)
                        return JournalEntryModel.Part(
                            name: part.name,
                            wanted: part.wanted ?? "(none)",
                            came: part.came ?? "(none)",
                            isMet: isMet,
                            difference: isMet ? nil : part.difference
                        )
                    }
                )
            }
        )
    }
}
