import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlServer
import TapedeckTLS

/// Brings cassettes of a deck here.
package struct CassettePull {
    /// The number of cassettes per request.
    private static let batchSize = 100

    private let options: TransferOptions
    private let deck: any TransferDeck
    private let person: any TransferPerson

    package init(_ options: TransferOptions, from deck: any TransferDeck, telling person: any TransferPerson) {
        self.options = options
        self.deck = deck
        self.person = person
    }

    /// - Throws: ``DeckError``, and what the deck's end throws.
    package func run() throws -> TransferSummary {
        do {
            return try self.options.archive.map(self.pull(intoArchive:)) ?? self.pull(into: self.options.place)
        } catch let error as ArchiveError {
            throw DeckError("what the deck sent cannot be used: \(error)", kind: .unusableCassette)
        } catch let error as FileError {
            throw DeckError("\(error)", kind: .notSaved)
        }
    }

    // MARK: Into an archive

    private func pull(intoArchive path: String) throws -> TransferSummary {
        var summary = TransferSummary()
        let list = try self.deck.versions(self.options.names)
        if FileContents.exists(path), !self.options.overwrites {
            let isWanted =
                self.person.canAnswer && !self.options.isDryRun
                && self.person.ask("\(path) is there already; write over it?") != .no
            guard isWanted else {
                self.person.note("\(path) is there already, and stays; --overwrite writes over it")
                summary.left = list.cassettes.count
                return summary
            }
        }
        summary.copied = list.cassettes.count
        guard !self.options.isDryRun else {
            for cassette in list.cassettes { self.person.show("would pull \(cassette.name)") }
            return summary
        }
        let file = try ArchiveFile(path)
        try self.deck.download(self.options.names) { try file.write($0) }
        try file.keep()
        self.person.show("pulled \(list.cassettes.count) cassettes into \(path)")
        return summary
    }

    // MARK: Into a folder

    private func pull(into folder: ArchiveFolder) throws -> TransferSummary {
        let list = try self.deck.versions(self.options.names)
        var known = SyncedVersions(of: folder, deck: self.deck.url)
        var choice = TransferChoice(.pull, self.options, self.person, deckTime: list.time)
        var pairs: [TransferChoice.Pair] = []
        for model in list.cassettes {
            guard model.problem == nil, let version = CassetteVersion(model) else {
                choice.leave(model.name, model.problem ?? "the deck is of another version")
                continue
            }
            do {
                let location = try folder.location(named: model.name)
                let isThere = FileContents.exists(location.path)
                let other = isThere ? try CassetteBundle(location).version(hashing: SHA256.hashing) : nil
                pairs.append(TransferChoice.Pair(name: model.name, own: version, other: other))
            } catch let error as ArchiveError {
                choice.leave(model.name, error.description)
            } catch let error as CassetteError {
                choice.leave(model.name, error.description)
            }
        }
        for name in self.options.names
        where !list.cassettes.contains(where: { $0.name == FilePath.withoutYAMLEnding(name) }) {
            choice.leave(name, "the deck has no such cassette")
        }
        let chosen = choice.choose(pairs, &known)
        guard !self.options.isDryRun else {
            choice.preview(chosen)
            return choice.summary
        }
        // The common versions are saved in any case.
        defer { choice.save(known) }
        let isAll = chosen.count == list.cassettes.count && self.options.names.isEmpty
        var rest = chosen[...]
        while !rest.isEmpty {
            let batch = isAll ? rest : rest.prefix(Self.batchSize)
            rest = rest.dropFirst(batch.count)
            try self.fetch(Array(batch), isAll: isAll, into: folder, &choice, &known)
        }
        return choice.summary
    }

    private func fetch(
        _ batch: [TransferChoice.Pair],
        isAll: Bool,
        into folder: ArchiveFolder,
        _ choice: inout TransferChoice,
        _ known: inout SyncedVersions
    ) throws {
        var limits = ArchiveLimits()
        // The user trusts the deck with as much disk space as it announces.
        limits.size = max(limits.size, 2 * batch.reduce(0) { $0 + $1.own.size })
        let stage = try ArchiveStage(in: folder, limits: limits, hashing: SHA256.hashing)
        try self.deck.download(isAll ? [] : batch.map(\.name)) { try stage.receive($0) }
        let contents = try stage.finish()
        var installer = ArchiveInstaller(into: folder, store: Deck.store, hashing: SHA256.hashing)
        let wanted = Dictionary(batch.map { ($0.name, $0) }) { first, _ in first }
        for var cassette in contents.cassettes {
            guard let pair = wanted[cassette.name] else { continue }
            cassette.precondition = pair.other.map { .digest($0.digest) } ?? .absent
            let outcome = try installer.install(cassette)
            choice.tell(Self.here(ArchiveOutcomeModel(cassette.name, outcome)))
            if case .refused = outcome { continue }
            known[cassette.name] = cassette.version.digest
        }
        try installer.settle()
    }

    /// Returns the outcome as seen from this end.
    private static func here(_ outcome: ArchiveOutcomeModel) -> ArchiveOutcomeModel {
        var outcome = outcome
        switch outcome.reason {
        case "changed": outcome.detail = "it changed here in the meantime; pull again"
        case "recording": outcome.detail = "it is being recorded here right now; end the recording, then pull again"
        case "unsound": outcome.detail = "the deck's cannot be played:\n\(outcome.detail ?? "")"
        case "not-writable": outcome.detail = outcome.detail?.replacing("the deck may not write it: ", with: "")
        default: break
        }
        return outcome
    }
}
