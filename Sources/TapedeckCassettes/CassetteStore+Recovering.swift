import TapedeckCore
import TapedeckRedaction

/// Recordings that were interrupted.
extension CassetteStore {
    /// Recovers the journal of an interrupted recording, if there is one, and removes other leftovers of a killed
    /// process: temporary files, installed body files without a reference, the folder of a refresh. Sets that the
    /// journal does not contain keep their takes, because the recording may be incomplete. Answers that were recorded since
    /// the interrupted recording began stay, too: other answers of the journal become a variant.
    ///
    /// The journal is locked until it is removed, so that one of several starts recovers it, and none begins a new
    /// recording in its place meanwhile. A journal that another process has locked is left to that process.
    package func recover(_ location: CassetteLocation) throws -> Saved? {
        guard FileContents.exists(location.journalFolder) else {
            self.removeRemains(of: location)
            return nil
        }
        var saved: Saved?
        for folder in RecordingJournal.folders(in: location.journalFolder) {
            guard let one = try self.recover(location, journal: folder) else { continue }
            guard let before = saved else {
                saved = one
                continue
            }
            saved = before.adding(one)
        }
        return saved
    }

    private func recover(_ location: CassetteLocation, journal folder: String) throws -> Saved? {
        guard let claim = try RecordingJournal.claim(folder: folder) else { return nil }
        let lock = SaveLock(location.journalFolder)
        return try withExtendedLifetime((claim, lock)) {
            if !RecordingJournal.isRecording(location, besides: folder) { self.removeLockedRemains(of: location) }
            guard let recording = try RecordingJournal.recording(in: folder), recording.records.count > 0,
                !ExchangeIntake.isRepeatable(folder)
            else {
                let ledger = try BodyLedger(location, journal: folder)
                _ = try ledger.removeUnnamed(by: try self.existing(location)?.cassette)
                RecordingJournal.remove(folder: folder)
                return nil
            }
            let (search, traits) = try self.searchAgain(recording, location)
            return try self.save(
                recording,
                in: folder,
                to: location,
                run: recording.begin.map { RecordingRun(recovering: $0) },
                ledger: try BodyLedger(location, journal: folder),
                search: search,
                traits: traits
            )
        }
    }

    /// Returns a search that removes the secrets that the current rules find from an interrupted recording.
    private func searchAgain(
        _ recording: RecordingJournal.Recording,
        _ location: CassetteLocation
    ) throws -> (Search, Traits) {
        guard let makeRedactor = self.takeUpRedactor else {
            return ({ exchange, _ in exchange }, { _ in recording.secrets })
        }
        let cassette = try self.existing(location)?.cassette
        let firstNumber = (recording.secrets.keys.max() ?? 0) + 1
        let redactor = try makeRedactor(cassette, recording.known, firstNumber)
        // Most exchanges do not change.
        var changed: Set<Int> = []
        for index in 0..<recording.records.count {
            let exchange = try recording.records.exchange(index)
            // One that cannot be searched now was searched when it was recorded, or let through.
            guard let searched = try? exchange.redactedAgain(by: redactor), searched != exchange else { continue }
            changed.insert(exchange.number)
        }
        let search: Search = { exchange, descriptors in
            var redactor = redactor
            redactor.descriptors = descriptors
            let isDue = changed.contains(exchange.number) || MessageFraming(exchange.requestHeaders) != nil
            let again = isDue ? try? exchange.redactedAgain(by: redactor) : nil
            return (again ?? exchange).searchedLast(by: redactor)
        }
        return (
            search,
            { numbers in
                numbers.filter { $0 >= firstNumber }
                    .reduce(into: recording.secrets) { $0[$1] = redactor.vault.traits($1) }
            }
        )
    }
}
