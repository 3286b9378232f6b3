package import TapedeckCore
package import TapedeckProtobuf
package import TapedeckRedaction
import TapedeckYAML

/// Cassettes on disk: loads them, and saves recordings.
package struct CassetteStore: Sendable {
    let digest: Digest
    /// The header fields of requests that a recording notes; the usual ones by default.
    package var keptHeaders = KeptHeaders.usual
    /// The surroundings of the command that is recorded.
    package var surroundings = Surroundings()
    /// True if a recorded request body becomes a condition only where bodies of one method and URL differ.
    package var answersAnyBody = false
    /// True if exchanges without a response are written even where the cassette has no answer to their requests.
    package var keepsFaults = false
    /// True if a recording stays in its journal that holds words which look like secrets and which no rule knows.
    package var isStrict = false
    /// Searches an interrupted recording again when it is recovered, because rules may have been added since; `nil`
    /// leaves it unchanged.
    package var takeUpRedactor: TakeUpRedactor?
    /// Receives the progress of a save.
    package var progress: SavingProgress?

    /// Makes a redactor for a cassette, `nil` for a new one, that knows these secrets by their names and numbers others
    /// from a number on.
    package typealias TakeUpRedactor =
        @Sendable (_ cassette: Cassette?, _ known: [SecretDescription], _ firstNumber: Int) throws -> Redactor

    var keepingFaults: CassetteStore {
        var store = self
        store.keepsFaults = true
        return store
    }

    package init(digest: @escaping Digest) {
        self.digest = digest
    }

    /// Everything there is to say about a cassette's file.
    package func check(_ location: CassetteLocation) throws -> CassetteReader.Result {
        guard let files = location.files else {
            return CassetteReader.read(
                try FileContents.read(location.path),
                name: location.name,
                path: location.path
            )
        }
        let path = location.shownPath
        return CassetteReader.read(files[path] ?? [], name: location.name, path: path, files: files)
    }

    /// Files that came with a session, as this store tells them apart.
    package func files(_ contents: [String: [UInt8]]) throws(SessionFiles.Problem) -> SessionFiles {
        try SessionFiles(contents, digest: self.digest)
    }

    /// - Throws: ``CassetteError`` if the cassette does not exist or cannot be used.
    package func load(_ location: CassetteLocation) throws(CassetteError) -> Cassette {
        let result: CassetteReader.Result
        do {
            result = try self.check(location)
        } catch let error as FileError where error.isMissing {
            throw CassetteError(path: location.path, Self.missing(location))
        } catch {
            throw CassetteError(path: location.path, "\(error)")
        }
        guard !result.hasErrors else {
            throw CassetteError(result.diagnostics.filter { $0.severity == .error })
        }
        return result.cassette
    }

    /// The message for a cassette that is not there.
    package static func missing(_ location: CassetteLocation) -> String {
        let names = FileContents.names(in: location.folder)
            .filter { FilePath.withoutYAMLEnding($0) != $0 }
            .map(FilePath.withoutYAMLEnding)
        if let near = Spelling.nearest(to: location.name, among: names) {
            return "there is no such cassette; did you mean \(near)?"
        }
        let other = FilePath.withoutYAMLEnding(location.path)
        if FileContents.exists(other), !FileContents.isFolder(other) {
            return "there is no such cassette; \(other) is a file of another tool: tapedeck import makes a cassette "
                + "of it"
        }
        if FileContents.isFolder(location.journalFolder) {
            return "there is no such cassette yet, but a recording of it that was cut short: `tapedeck replay "
                + "\(ShellWord.quoted(location.name))` takes it up"
        }
        guard !location.path.contains("://"), !location.name.contains(where: { "*?: ".contains($0) }) else {
            let hint = names.isEmpty ? "" : Spelling.hint(for: location.name, among: names.sorted())
            return "there is no such cassette\(hint)"
        }
        let name = ShellWord.quoted(location.name)
        return "there is no such cassette; record it with: tapedeck record \(name) -- COMMAND"
    }

    // MARK: Recording

    /// The result of saving a recording.
    package struct Saved: Sendable, Equatable {
        /// Exchanges that went into the cassette.
        package var exchanges: Int
        /// True if the file has changed.
        package var changed: Bool
        /// Exchanges that are not in it because a file of the journal is gone.
        package var lost = 0
        /// Exchanges that are not in it because they could not be redacted, each in a line; of those saved at once.
        package var notRedacted: [String] = []
        /// The numbers of those exchanges.
        package var notRedactedNumbers: Set<Int> = []
        /// The reason why the recording ended early, if it did.
        package var failure: String?
        /// The effect on the sets and body files that were on tape before.
        package var effect = RecordingEffect()
        /// True if the folder of the journal was removed while the recording ran.
        package var journalWasRemoved = false
        /// Words in it that look like secrets and that no rule knows.
        package var unknown = UnknownSecrets()
        /// The cassette's file after it was written.
        package var signature: FileSignature?

        /// The result of two recordings, one saved after the other.
        func adding(_ other: Saved) -> Saved {
            var both = self
            both.exchanges += other.exchanges
            both.changed = both.changed || other.changed
            both.lost += other.lost
            both.notRedacted += other.notRedacted
            both.notRedactedNumbers.formUnion(other.notRedactedNumbers)
            both.failure = both.failure ?? other.failure
            both.effect.add(other.effect)
            both.journalWasRemoved = both.journalWasRemoved || other.journalWasRemoved
            both.unknown.add(other.unknown)
            both.signature = other.signature
            return both
        }
    }

    /// Searches an exchange again for secrets, those of a call also by the names that descriptors give its fields.
    package typealias Search = (RecordedExchange, DescriptorSet?) -> RecordedExchange

    /// Returns the traits of the secrets with these numbers.
    typealias Traits = ([Int]) throws -> [Int: SecretTraits]

    /// Saves a finished recording into its cassette and removes the journal. Without exchanges the cassette stays
    /// unchanged.
    ///
    /// A journal whose folder was removed meanwhile is read from the files that are still open. Exchanges with bodies
    /// in files of that folder are lost then.
    ///
    /// - Parameters:
    ///   - expected: the number of exchanges that the recording has added to its journal.
    ///   - commandFailed: true if the recorded command failed; then nothing is removed.
    ///   - cleans: true to remove recorded sets that this recording did not request.
    ///   - isComplete: false if it lacks answers to requests; then nothing is removed.
    ///   - run: what it knows of other recordings of its run.
    ///   - search: searches an exchange again for secrets that became known later.
    /// - Throws: an error if the journal does not have them, or the cassette cannot be written; ``UnknownSecretsError``
    ///   if it must not be written. Nothing is removed then.
    package func finish(
        _ journal: RecordingJournal,
        to location: CassetteLocation,
        expecting expected: Int,
        commandFailed: Bool = false,
        cleans: Bool = false,
        isComplete: Bool = true,
        run: RecordingRun? = nil,
        search: Search = { exchange, _ in exchange }
    ) throws -> Saved {
        let isInPlace = journal.isInPlace
        let recording = try journal.recording()
        let found = recording.records.count
        guard found >= expected else {
            let message = "the journal holds \(found) of \(expected) exchanges; somebody has changed it"
            throw CassetteError(path: journal.folder, message)
        }
        guard found > 0 else {
            if isInPlace { RecordingJournal.remove(folder: journal.folder) }
            return Saved(exchanges: 0, changed: false)
        }
        let lock = SaveLock(location.journalFolder)
        defer { withExtendedLifetime(lock) {} }
        var saved = try withoutActuallyEscaping(search) { search in
            try self.save(
                recording,
                in: journal.folder,
                to: location,
                leftovers: !cleans ? .keep : commandFailed ? .keepAfterFailure : isComplete ? .remove : .keepIncomplete,
                run: run,
                ledger: try BodyLedger(location, journal: journal.folder, isLasting: isInPlace),
                removesJournal: isInPlace,
                search: search,
                traits: { _ in try journal.secretTraits() }
            )
        }
        saved.journalWasRemoved = !isInPlace
        return saved
    }

    /// Saves exchanges from elsewhere into a cassette, as a recording in the mode `append` does: takes of existing sets
    /// are added after the others. Without exchanges the cassette stays unchanged.
    ///
    /// They go through a journal like any recording: if this process ends in the middle, the next start finishes it. An
    /// interrupted recording is recovered first.
    ///
    /// - Parameters:
    ///   - exchanges: with their bodies in memory.
    ///   - redactor: removes their secrets. Exchanges that it fails on are left out, and listed in the result.
    ///   - known: the secrets that it knows by name.
    ///   - variant: saves them as this variant of the sets that answer them, and replaces its old answers.
    /// - Throws: ``CassetteError`` if another recording of the cassette runs or the cassette cannot be used,
    ///   `FileError` if it cannot be written. No exchange is saved then, now or later.
    package func save(
        _ exchanges: [RecordedExchange],
        to location: CassetteLocation,
        redactor: Redactor,
        known: [SecretDescription] = [],
        variant: ScenarioName? = nil
    ) throws -> Saved {
        guard !exchanges.isEmpty else { return Saved(exchanges: 0, changed: false) }
        let intake = try ExchangeIntake(self, location, redactor: redactor, known: known, variant: variant)
        for exchange in exchanges { try intake.add(exchange) }
        return try intake.finish()
    }

    /// - Parameters:
    ///   - journal: the journal's folder.
    ///   - removesJournal: false if the journal's folder belongs to another recording.
    ///   - search: searches an exchange again; returns the same each time.
    ///   - traits: called once all exchanges were searched.
    func save(
        _ recording: RecordingJournal.Recording,
        in journal: String,
        to location: CassetteLocation,
        leftovers: CassetteMerge.Leftovers = .keep,
        run: RecordingRun? = nil,
        ledger: BodyLedger,
        removesJournal: Bool = true,
        search: @escaping Search,
        traits: Traits
    ) throws -> Saved {
        let existing = try self.existing(location)
        try FileContents.makeFolder(location.folder)
        let descriptors = try self.putDescriptors(of: recording, for: existing, at: location)
        do {
            var saved = try self.save(
                recording,
                in: journal,
                with: descriptors,
                into: existing,
                at: location,
                leftovers: leftovers,
                run: run,
                ledger: ledger,
                search: search,
                traits: traits
            )
            saved.signature = FileSignature(location.path)
            if removesJournal { RecordingJournal.remove(folder: journal) }
            return saved
        } catch {
            descriptors.takeBack()
            throw error
        }
    }

    private func save(
        _ recording: RecordingJournal.Recording,
        in journal: String,
        with descriptors: RecordedDescriptors,
        into existing: CassetteReader.Result?,
        at location: CassetteLocation,
        leftovers: CassetteMerge.Leftovers,
        run: RecordingRun?,
        ledger: BodyLedger,
        search: @escaping Search,
        traits: Traits
    ) throws -> Saved {
        var exchanges = try SavedExchanges(
            recording.records,
            surroundings: self.surroundings,
            search: { search($0, descriptors.all) },
            progress: { self.progress?.note(read: $0, recording) }
        )
        let unknown = exchanges.unknown
        if self.isStrict, !unknown.isEmpty {
            throw UnknownSecretsError(unknown: unknown, cassette: location.path, journal: journal)
        }
        let purpose = recording.records.purpose
        let secrets = exchanges.nameSecrets(
            traits: try traits(Array(exchanges.secretNumbers)),
            known: recording.known,
            existing: existing?.cassette.secrets ?? [],
            // A secret of the sets that stay is that of the recording if it has its name: a program has one token for all its
            // requests.
            taken: purpose != .append && recording.variant == nil ? [] : self.names(in: existing),
            shared: purpose == .append && recording.variant == nil ? Self.namesOfNoUser(in: existing) : []
        )
        exchanges.hideSurroundings(of: secrets)
        var saved: Saved
        if let existing {
            saved = try self.merge(
                exchanges,
                of: recording,
                in: journal,
                secrets,
                descriptors,
                into: existing,
                at: location,
                leftovers: purpose == .append ? .keep : leftovers,
                run: run,
                ledger: ledger
            )
        } else {
            saved = try self.write(
                exchanges,
                of: recording,
                in: journal,
                secrets,
                descriptors,
                to: location,
                ledger: ledger
            )
        }
        saved.unknown = unknown
        return saved
    }

    /// True if a failure is not recorded where the tape has no answer that could be lost.
    private func leavesFailuresOut(_ recording: RecordingJournal.Recording) -> Bool {
        !self.keepsFaults && recording.records.purpose != .recordFailures
    }

    /// Writes a new cassette.
    private func write(
        _ exchanges: SavedExchanges,
        of recording: RecordingJournal.Recording,
        in journal: String,
        _ secrets: [SecretDescription],
        _ descriptors: RecordedDescriptors,
        to location: CassetteLocation,
        ledger: BodyLedger
    ) throws -> Saved {
        let cassette = Cassette(name: location.name, responseSets: [])
        // Escapes, which `secrets:` at the beginning declares, show only at the end. Then the cassette is written again.
        for declaresSecrets in [false, true] {
            let storage = BodyStorage(
                location,
                journal: journal,
                ledger: ledger,
                descriptors: descriptors.all,
                digest: self.digest
            )
            let new = try NewCassette(
                location,
                secrets: secrets,
                declaresSecrets: declaresSecrets,
                descriptors: descriptors.file,
                surroundings: exchanges.surroundings,
                scenario: recording.variant
            )
            var effect = RecordingEffect()
            _ = try RecordingSorter.sort(
                exchanges,
                into: cassette,
                keptHeaders: self.keptHeaders,
                intoAnySet: false,
                failure: self.leavesFailuresOut(recording) ? { effect.note($0) } : nil,
                answersAnyBody: recording.answersAnyBody,
                storage: storage
            ) { set, takes in
                try new.add(set, takes: takes)
                self.progress?.note(written: new.written.exchanges, recording)
            }
            guard new.written.exchanges > 0 || effect.failures.isEmpty else {
                effect.isAllFailed = true
                var saved = Saved(exchanges: 0, changed: false)
                saved.effect = effect
                return saved
            }
            try new.flush()
            if !declaresSecrets, secrets.isEmpty, storage.hasEscapes || new.hasEscapes { continue }
            try new.finish()
            let result = new.written
            var saved = Saved(exchanges: result.exchanges, changed: true)
            saved.lost = exchanges.count - result.exchanges - effect.unwritten
            effect.written = result.sets
            saved.effect = effect
            saved.effect.anyBody = result.anyBody
            saved.effect.removedFiles = try ledger.remove(except: result.bodyFiles)
            return saved
        }
        preconditionFailure("the second round ends in any case")
    }

    /// Merges a recording into an existing cassette.
    private func merge(
        _ exchanges: SavedExchanges,
        of recording: RecordingJournal.Recording,
        in journal: String,
        _ secrets: [SecretDescription],
        _ descriptors: RecordedDescriptors,
        into existing: CassetteReader.Result,
        at location: CassetteLocation,
        leftovers: CassetteMerge.Leftovers,
        run: RecordingRun?,
        ledger: BodyLedger
    ) throws -> Saved {
        let cassette = existing.cassette
        let storage = BodyStorage(
            location,
            journal: journal,
            ledger: ledger,
            descriptors: descriptors.all,
            digest: self.digest
        )
        let isAppending = recording.records.purpose == .append
        var sorted = SortedRecording()
        var failed = RecordingEffect()
        sorted.takes = try RecordingSorter.sort(
            exchanges,
            into: cassette,
            keptHeaders: self.keptHeaders,
            intoAnySet: recording.variant != nil,
            failure: self.leavesFailuresOut(recording) ? { failed.note($0) } : nil,
            answersAnyBody: recording.answersAnyBody,
            storage: storage
        ) { set, takes in
            var set = set
            try takes { set.takes.append($0) }
            if !set.takes.isEmpty { sorted.new.append(set) }
            self.progress?.note(written: sorted.new.count, recording)
        }
        sorted.takeOverVarying(from: cassette, exchanges.surroundings, digest: self.digest)
        var merge = CassetteMerge.Input(
            recording: sorted,
            cassette: cassette,
            document: existing.document,
            leftovers: leftovers,
            isAppending: isAppending,
            scenario: recording.variant.map { name in
                // An answer that was explicitly kept is written in any case.
                let unchanged = isAppending ? [] : self.unchanged(sorted, in: cassette)
                return CassetteMerge.Scenario(name: name, unchanged: unchanged)
            },
            keepsAnswers: recording.records.purpose != .recordFailures,
            run: recording.variant == nil ? run : nil,
            isShared: run.map { $0.hasEarlierDecks || $0.seen != FileSignature(location.path) } ?? false,
            secrets: secrets,
            descriptors: descriptors.file,
            surroundings: exchanges.surroundings,
            namesInFiles: self.namesInFiles(of: cassette),
            hasEscapes: storage.hasEscapes
        )
        if run != nil {
            merge.sameAsRecorded = self.unchanged(sorted, in: cassette) { $0.ownRecordedVariant }
        }
        let plan = MergePlan(merge)
        var effect = plan.effect
        effect.failures = failed.failures
        effect.isAllFailed =
            effect.isAllFailed || !failed.failures.isEmpty && sorted.count == 0
        if effect.unwritten > 0 {
            let used = self.secretNames(in: sorted, writtenTo: cassette, effect)
            merge.secrets.removeAll { !used.contains($0.name) }
        }
        let (text, written) = try Self.readable(merge, location)
        let changed = existing.document?.source != text
        // If this process ends from here on, the next start deletes files that the new text does not name.
        let named = Set(written.bodyFiles.map(\.name))
        for file in cassette.bodyFiles where !named.contains(file.name) { try ledger.note(file.name) }
        if changed { try FileContents.replace(location.path, with: text) }
        var saved = Saved(exchanges: sorted.count - effect.unwritten, changed: changed)
        effect.unwritten += failed.unwritten
        effect.written += CassetteMerge.names(ofNew: merge)
        saved.effect = effect
        saved.effect.anyBody = sorted.setsWithAnyBody(in: written, before: cassette)
        saved.lost = exchanges.count - sorted.count - failed.unwritten
        saved.effect.removedFiles = try ledger.removeUnnamed(by: written)
        return saved
    }

    /// The names of the secrets in those takes of a recording that are written.
    private func secretNames(
        in recording: SortedRecording,
        writtenTo cassette: Cassette,
        _ effect: RecordingEffect
    ) -> Set<String> {
        let kept = Set(effect.kept + effect.same + effect.handwritten)
        let takes =
            recording.new.flatMap(\.takes)
            + recording.takes.filter { !kept.contains(cassette.responseSets[$0.key].name) }.flatMap(\.value)
        var sets = recording.new.map { ResponseSet(name: "new", request: $0.matcher, variants: []) }
        sets.append(
            ResponseSet(name: "takes", request: RequestMatcher(), variants: [Variant(name: "all", takes: takes)])
        )
        let written = Cassette(name: cassette.name, responseSets: sets)
        let inFiles = written.bodyFiles.filter { $0.size <= BodyStorage.inspectionLimit }
            .compactMap { try? $0.contents() }
        return inFiles.reduce(into: written.hiddenSecrets) { $0.formUnion(SecretPlaceholder.names(in: $1)) }
            .union(SecretPlaceholder.names(in: CassetteWriter.text(of: written)))
    }

    /// The names of secrets that tell no users apart, and have no variable.
    private static func namesOfNoUser(in existing: CassetteReader.Result?) -> Set<String> {
        guard let cassette = existing?.cassette else { return [] }
        let ofUsers = cassette.responseSets.flatMap { $0.request.headers + $0.request.cookies }.flatMap(
            \.value.secretNames
        )
        return Set(cassette.secrets.filter { $0.environment == nil }.map(\.name)).subtracting(ofUsers)
    }

    /// The names that a cassette has placeholders for, or a variable. Others that it describes are of secrets that left no
    /// trace, such as a key in a header field: the next one of the kind may have the name.
    private func names(in existing: CassetteReader.Result?) -> Set<String> {
        guard let existing else { return [] }
        let written = existing.document.map { SecretPlaceholder.names(in: $0.source) } ?? []
        return written.union(self.namesInFiles(of: existing.cassette))
            .union(existing.cassette.secrets.filter { $0.environment != nil }.map(\.name))
    }

    /// The names that body files, and bodies in base64, have placeholders for; empty where nothing could follow from it.
    func namesInFiles(of cassette: Cassette) -> Set<String> {
        guard cassette.secrets.contains(where: { $0.environment == nil }) else { return [] }
        return cassette.bodyFiles.reduce(into: cassette.hiddenSecrets) { names, file in
            guard file.size <= BodyStorage.inspectionLimit, let content = try? file.contents() else {
                return
            }
            names.formUnion(SecretPlaceholder.names(in: content))
        }
    }

    /// The new text, read back: no cassette is replaced by one that could not be used, and no journal goes before that
    /// is certain.
    static func readable(
        _ merge: CassetteMerge.Input,
        _ location: CassetteLocation
    ) throws -> (text: [UInt8], cassette: Cassette) {
        for replacesSets in [false, true] {
            guard let (text, expected) = CassetteMerge.edit(merge, replacesSets: replacesSets) else { continue }
            let read = CassetteReader.read(text, name: location.name, path: location.path)
            guard !read.hasErrors else { continue }
            // A recorded part can have several forms in the model, but only one as it is written.
            if read.cassette.isSame(as: expected)
                || CassetteWriter.text(of: read.cassette) == CassetteWriter.text(of: expected)
            {
                return (text, read.cassette)
            }
        }
        let text = CassetteMerge.rewrite(merge)
        let result = CassetteReader.read(text, name: location.name, path: location.path)
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        return (text, result.cassette)
    }

    /// A cassette with errors is not overwritten: it may contain manual work.
    func existing(_ location: CassetteLocation) throws -> CassetteReader.Result? {
        guard FileContents.exists(location.path) else { return nil }
        let source = try FileContents.read(location.path)
        let result = CassetteReader.read(source, name: location.name, path: location.path).withLastLineEnd
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        return result
    }
}

extension Cassette {
    /// The names of secrets in bodies that are no text, which may not show in the text of the cassette.
    package var hiddenSecrets: Set<String> {
        var names: Set<String> = []
        for take in self.responseSets.lazy.flatMap(\.variants).flatMap(\.behaviour.allTakes) {
            for case .inline(let body) in [take.body, take.request?.body ?? .none] where !body.isText {
                names.formUnion(SecretPlaceholder.names(in: body.decoded))
            }
        }
        return names
    }
}
