import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlServer
import TapedeckMaintenance
import TapedeckTLS

/// Brings cassettes of here to a deck.
package struct CassettePush {
    private let options: TransferOptions
    private let configuration: DeckConfiguration
    private let deck: any TransferDeck
    private let person: any TransferPerson

    /// - Parameter configuration: whose project says what is a secret.
    package init(
        _ options: TransferOptions,
        configuration: DeckConfiguration,
        to deck: any TransferDeck,
        telling person: any TransferPerson
    ) {
        self.options = options
        self.configuration = configuration
        self.deck = deck
        self.person = person
    }

    /// - Throws: ``DeckError``, and what the deck's end throws.
    package func run() throws -> TransferSummary {
        do {
            guard let archive = self.options.archive else { return try self.push(from: self.options.place) }
            // As good a place as any for what goes again at once.
            let temporary = ArchiveFolder(ProcessEnvironment.value("TMPDIR") ?? "/tmp")
            let stage = try ArchiveStage(in: temporary, limits: Self.limits, hashing: SHA256.hashing)
            let file = try BodyFileReader(path: archive)
            while case let piece = try file.read(upTo: 256 << 10), !piece.isEmpty { try stage.receive(piece) }
            let contents = try stage.finish()
            return try withExtendedLifetime(contents) { try self.push(from: stage.unpacked) }
        } catch let error as ArchiveError {
            throw DeckError("\(self.options.archive.map { "\($0): " } ?? "")\(error)", kind: .unusableCassette)
        } catch let error as FileError {
            throw DeckError("\(error)", kind: .unusableCassette)
        }
    }

    /// The local disk is the limit.
    private static let limits: ArchiveLimits = {
        var limits = ArchiveLimits()
        limits.size = 1 << 40
        return limits
    }()

    private func push(from folder: ArchiveFolder) throws -> TransferSummary {
        let locations = try self.locations(in: folder)
        let list = try self.deck.versions([])
        let others = Dictionary(list.cassettes.map { ($0.name, $0) }) { first, _ in first }
        var known = SyncedVersions(of: folder, deck: self.deck.url)
        var choice = TransferChoice(.push, self.options, self.person, deckTime: list.time)
        var pairs: [TransferChoice.Pair] = []
        for location in locations {
            if RecordingJournal.isInUse(folder: location.journalFolder) {
                choice.leave(location.name, "it is being recorded here right now; end the recording, then push again")
                continue
            }
            do {
                let bundle = try CassetteBundle(location)
                guard bundle.problems.isEmpty else {
                    choice.leave(
                        location.name,
                        "it cannot be played:\n" + bundle.problems.map(\.description).joined(separator: "\n")
                    )
                    continue
                }
                let other = others[location.name]
                if let problem = other?.problem {
                    choice.leave(location.name, "the deck's cannot be compared: \(problem)")
                    continue
                }
                let own = try bundle.version(hashing: SHA256.hashing)
                pairs.append(
                    TransferChoice.Pair(name: location.name, own: own, other: other.flatMap { CassetteVersion($0) })
                )
            } catch let error as ArchiveError {
                choice.leave(location.name, error.description)
            }
        }
        let byName = Dictionary(locations.map { ($0.name, $0) }) { first, _ in first }
        let chosen = try self.withoutSecrets(choice.choose(pairs, &known), byName, &choice)
        guard !self.options.isDryRun else {
            choice.preview(chosen)
            return choice.summary
        }
        defer { choice.save(known) }
        guard !chosen.isEmpty else { return choice.summary }
        var source = ArchiveSource(
            chosen.compactMap { pair in
                byName[pair.name].map { ($0, pair.other.map { .digest($0.digest) } ?? .absent) }
            },
            in: folder
        )
        let digests = Dictionary(chosen.map { ($0.name, $0.own.digest) }) { first, _ in first }
        for outcome in try self.deck.upload({ try source.next() }).cassettes {
            choice.tell(outcome)
            if outcome.outcome != "refused" { known[outcome.name] = digests[outcome.name] }
        }
        return choice.summary
    }

    private func locations(in folder: ArchiveFolder) throws -> [CassetteLocation] {
        guard !self.options.names.isEmpty else {
            guard self.options.archive != nil || FileContents.isFolder(folder.path) else {
                throw DeckError("there is no folder \(folder.path)", kind: .badOption)
            }
            return folder.cassettes()
        }
        return try self.options.names.map { name in
            let location: CassetteLocation
            do {
                location = try folder.location(named: name)
            } catch {
                throw DeckError(error)
            }
            guard FileContents.exists(location.path) else {
                let place = self.options.archive ?? folder.path
                throw DeckError("there is no cassette \(location.name) in \(place)", kind: .unusableCassette)
            }
            return location
        }
    }

    /// Returns the cassettes without words that look like secrets, or all of them if that is allowed. Warns of each
    /// place.
    private func withoutSecrets(
        _ pairs: [TransferChoice.Pair],
        _ locations: [String: CassetteLocation],
        _ choice: inout TransferChoice
    ) throws -> [TransferChoice.Pair] {
        try pairs.filter { pair in
            guard let location = locations[pair.name] else { return false }
            let search = try SecretSearch(
                [location.path],
                folder: nil,
                configuration: self.configuration,
                usesEntropy: true
            )
            for line in search.lines { self.person.note("warning: \(line)") }
            guard !search.lines.isEmpty, !self.options.allowsSecrets else { return true }
            choice.leave(
                pair.name,
                "there may be secrets in it, as above; `tapedeck scrub \(pair.name)` takes them out, --allow-secrets pushes it as "
                    + "it is"
            )
            return false
        }
    }
}
