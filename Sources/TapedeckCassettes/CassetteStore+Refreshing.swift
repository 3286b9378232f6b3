package import TapedeckCore
import TapedeckYAML

/// A take that was requested again, and its new answer.
package struct RenewedTake: Sendable {
    /// The number of its response set.
    package var set: Int
    /// Its number among the takes of the set's recorded variant.
    package var take: Int
    package var exchange: RecordedExchange

    package init(set: Int, take: Int, exchange: RecordedExchange) {
        self.set = set
        self.take = take
        self.exchange = exchange
    }
}

extension CassetteStore {
    /// Replaces takes by new answers. Everything else stays: other takes, sets, comments, and each take's request.
    ///
    /// - Parameters:
    ///   - renewed: at most one for each take. Exchanges are redacted, and their secrets have final names.
    ///   - names: the names of secrets, by their numbers in the journal.
    ///   - journal: the folder of the exchanges' journal, with their body files.
    ///   - source: the text of the cassette to which the numbers of sets and takes refer, as ``check(_:)`` read it.
    ///   - lock: the journal that locks the cassette against recordings meanwhile; see ``lock(_:)``.
    /// - Throws: ``CassetteError`` if the cassette cannot be used or has changed since it was read, `FileError` if it
    ///   cannot be written. It is unchanged then.
    package func renew(
        _ renewed: [RenewedTake],
        names: [Int: String] = [:],
        journal: String,
        in location: CassetteLocation,
        reading source: [UInt8],
        holding lock: RecordingJournal
    ) throws -> Saved {
        guard !renewed.isEmpty else { return Saved(exchanges: 0, changed: false) }
        guard let existing = try self.existing(location), let now = existing.document?.source,
            now == source || now == source + [0x0A]
        else {
            throw CassetteError(
                path: location.path,
                "the cassette has changed meanwhile; nothing was written, try again"
            )
        }
        precondition(lock.folder == location.journalFolder)
        let ledger = try BodyLedger(location)
        let storage = BodyStorage(
            location,
            journal: journal,
            ledger: ledger,
            descriptors: existing.cassette.descriptorSet,
            digest: self.digest
        )
        var merge = CassetteMerge.Input(
            recording: SortedRecording(),
            cassette: existing.cassette,
            document: existing.document,
            leftovers: .keep,
            isAppending: false,
            secrets: try Self.secrets(names, journal: journal),
            namesInFiles: self.namesInFiles(of: existing.cassette)
        )
        var saved = Saved(exchanges: 0, changed: false)
        for renewal in renewed {
            guard let old = existing.cassette.recordedTake(renewal.take, ofSet: renewal.set) else {
                preconditionFailure("take \(renewal.take) of set \(renewal.set) is none that a recording wrote")
            }
            do {
                var take = try Take(renewal.exchange, keepsRequestBody: false, storage: storage)
                take.request = old.request
                merge.renewals[renewal.set, default: [:]][renewal.take] = take
                saved.exchanges += 1
            } catch is BodyStorage.Lost {
                saved.lost += 1
            }
        }
        merge.hasEscapes = storage.hasEscapes
        let (text, cassette) = try Self.readable(merge, location)
        saved.changed = existing.document?.source != text
        let named = Set(cassette.bodyFiles.map(\.name))
        for file in existing.cassette.bodyFiles where !named.contains(file.name) { try ledger.note(file.name) }
        if saved.changed { try FileContents.replace(location.path, with: text) }
        saved.effect.removedFiles = try ledger.removeUnnamed(by: cassette)
        return saved
    }

    /// Returns descriptions of the secrets that were given names.
    private static func secrets(_ names: [Int: String], journal: String) throws -> [SecretDescription] {
        guard !names.isEmpty else { return [] }
        let traits = try JournalSecrets.read(folder: journal).traits
        return names.map { SecretDescription(name: $0.value, shape: traits[$0.key]?.shape?.named(names)) }
    }
}

extension Cassette {
    /// A recorded take of a set's recorded variant.
    fileprivate func recordedTake(_ take: Int, ofSet set: Int) -> Take? {
        guard self.responseSets.indices.contains(set) else { return nil }
        let set = self.responseSets[set]
        guard let variant = set.recordedVariant, set.variants[variant].takes.indices.contains(take) else { return nil }
        let take = set.variants[variant].takes[take]
        return take.recorded == nil ? nil : take
    }
}
