import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction

extension CassetteStore {
    /// Saves exchanges with the built-in rules.
    func save(_ exchanges: [RecordedExchange], to location: CassetteLocation) throws -> Saved {
        try self.save(exchanges, to: location, redactor: Redactor(.builtIn, vault: SecretVault()))
    }
}

extension CassetteFixture {
    /// Records exchanges whose secrets are numbered already, with what is known of those.
    @discardableResult
    func record(
        _ exchanges: [RecordedExchange],
        _ purpose: RecordingJournal.Purpose = .record,
        shapes: [String],
        known: [SecretDescription] = []
    ) throws -> CassetteStore.Saved {
        let journal = try RecordingJournal(folder: self.location.journalFolder, purpose: purpose)
        try journal.note(known)
        for exchange in exchanges {
            try journal.noteSecrets(in: exchange) { SecretTraits(shape: shapes[$0 - 1]) }
            try journal.append(exchange)
        }
        return try self.store.finish(journal, to: self.location, expecting: exchanges.count)
    }
}
