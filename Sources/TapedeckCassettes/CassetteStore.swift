package import TapedeckCore
package import TapedeckRedaction
import TapedeckYAML

/// Cassettes on disk: loads them, and brings recordings into them.
package struct CassetteStore: Sendable {
    let digest: Digest
    /// Which header fields of requests are noted where a recording is brought into a cassette. The usual ones.
    package var keptHeaders = KeptHeaders.usual
    /// True if recordings get a condition on each request body, also where there is one body alone.
    package var matchesBodies = false
    /// True if a recording stays in its journal that holds words which look like secrets and which no rule knows.
    package var isStrict = false
    /// Searches an interrupted recording once more when it is taken up, as rules may have come since; `nil` leaves it
    /// as its journal has it.
    package var takeUpRedactor: TakeUpRedactor?

    /// Makes a redactor for a cassette, `nil` for a new one, that knows these secrets by their names and numbers others
    /// from a number on.
    package typealias TakeUpRedactor =
        @Sendable (_ cassette: Cassette?, _ known: [SecretDescription], _ firstNumber: Int) throws -> Redactor

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

    /// - Throws: ``CassetteError`` when there is no such cassette or it cannot be used.
    package func load(_ location: CassetteLocation) throws(CassetteError) -> Cassette {
        let result: CassetteReader.Result
        do {
            result = try self.check(location)
        } catch let error as FileError where error.isMissing {
            throw CassetteError(path: location.path, self.missing(location))
        } catch {
            throw CassetteError(path: location.path, "\(error)")
        }
        guard !result.hasErrors else {
            throw CassetteError(result.diagnostics.filter { $0.severity == .error })
        }
        return result.cassette
    }

    private func missing(_ location: CassetteLocation) -> String {
        let names = FileContents.names(in: location.folder)
            .filter { FilePath.withoutYAMLEnding($0) != $0 }
            .map(FilePath.withoutYAMLEnding)
        if let near = Spelling.nearest(to: location.name, among: names) {
            return "there is no such cassette; did you mean \(near)?"
        }
        return "there is no such cassette; record it with: tapedeck record \(location.name) -- COMMAND"
    }

    // MARK: Recording

    /// What became of a recording.
    package struct Saved: Sendable, Equatable {
        /// Exchanges that went into the cassette.
        package var exchanges: Int
        /// Whether the file is another than before.
        package var changed: Bool
        /// Exchanges that are not in it because a file of the journal is gone.
        package var lost = 0
        /// Exchanges that are not in it because they could not be redacted, each in a line; of those saved at once.
        package var notRedacted: [String] = []
        /// The numbers of those exchanges.
        package var notRedactedNumbers: Set<Int> = []
        /// What ended the recording before its time, if anything did.
        package var failure: String?
        /// The effect on the sets and body files that were on tape before.
        package var effect = RecordingEffect()
        /// True if somebody removed the folder of the journal while the recording ran.
        package var journalWasRemoved = false
        /// Words in it that look like secrets and that no rule knows.
        package var unknown = UnknownSecrets()
    }

    /// Takes up the journal that an interrupted recording left, if there is one, and removes what else a killed process
    /// left: temporary files, body files that it put in place and nothing names, the folder of a refresh. Sets that the
    /// journal does not hold keep their takes, since nobody said that the recording was complete.
    ///
    /// The journal is held until it is gone, so that of several starts at once one takes it up, and none begins a new
    /// recording in its place meanwhile. A journal that another process holds is left to that one.
    package func recover(_ location: CassetteLocation) throws -> Saved? {
        let folder = location.journalFolder
        guard FileContents.exists(folder) else {
            self.removeRemains(of: location)
            return nil
        }
        guard let claim = try RecordingJournal.claim(folder: folder) else { return nil }
        return try withExtendedLifetime(claim) {
            self.removeLockedRemains(of: location)
            guard var contents = try RecordingJournal.read(folder: folder), !contents.exchanges.isEmpty else {
                let ledger = try BodyLedger(location)
                _ = try ledger.removeUnnamed(by: try self.existing(location)?.cassette)
                FileContents.removeFolder(folder)
                return nil
            }
            try self.searchAgain(&contents, location)
            return try self.save(contents, to: location, isWhole: false, ledger: try BodyLedger(location))
        }
    }

    /// Takes the secrets out of an interrupted recording that rules of today find.
    private func searchAgain(_ contents: inout RecordingJournal.Contents, _ location: CassetteLocation) throws {
        guard let makeRedactor = self.takeUpRedactor else { return }
        let cassette = try self.existing(location)?.cassette
        let firstNumber = (contents.shapes.keys.max() ?? 0) + 1
        let redactor = try makeRedactor(cassette, contents.known, firstNumber)
        // An exchange that cannot be searched now was searched when it was recorded, or let through.
        contents.exchanges = contents.exchanges.map { (try? $0.redactedAgain(by: redactor)) ?? $0 }
            .map { $0.searchedAgain(by: redactor) }
        for exchange in contents.exchanges {
            exchange.forEachPlaceholder { placeholder in
                guard let number = placeholder.number, number >= firstNumber else { return }
                contents.shapes[number] = redactor.vault.shape(number).text
            }
        }
    }

    /// Brings a finished recording into its cassette and removes the journal. With nothing recorded the cassette stays
    /// as it is.
    ///
    /// A journal whose folder somebody has removed meanwhile is read from the files that are still open. Exchanges with
    /// bodies in files of that folder are lost then.
    ///
    /// - Parameters:
    ///   - expected: how many exchanges the recording has added to its journal.
    ///   - commandFailed: true if the recorded command failed; sets that it did not request stay then.
    ///   - search: searches an exchange once more for the secrets that later ones taught.
    /// - Throws: when the journal does not hold them, or the cassette cannot be written; ``UnknownSecretsError`` where it
    ///   must not be. Nothing is removed then.
    package func finish(
        _ journal: RecordingJournal,
        to location: CassetteLocation,
        expecting expected: Int,
        commandFailed: Bool = false,
        search: (RecordedExchange) -> RecordedExchange = { $0 }
    ) throws -> Saved {
        let isInPlace = journal.isInPlace
        var contents = try journal.contents()
        let found = contents.exchanges.count
        guard found >= expected else {
            let message = "the journal holds \(found) of \(expected) exchanges; somebody has changed it"
            throw CassetteError(path: journal.folder, message)
        }
        guard found > 0 else {
            if isInPlace { FileContents.removeFolder(journal.folder) }
            return Saved(exchanges: 0, changed: false)
        }
        contents.exchanges = contents.exchanges.map(search)
        contents.shapes = try journal.secretShapes()
        var saved = try self.save(
            contents,
            to: location,
            isWhole: true,
            commandFailed: commandFailed,
            ledger: try BodyLedger(location, isLasting: isInPlace),
            removesJournal: isInPlace
        )
        saved.journalWasRemoved = !isInPlace
        return saved
    }

    /// Brings exchanges that were not recorded as they came into a cassette, as a recording in the mode `append` brings
    /// them: takes of sets that are there already are added behind the others. With none the cassette stays as it is.
    ///
    /// They go through a journal like any recording: if this process ends in the middle, the next start finishes it.
    /// What an interrupted recording has left there is taken up first.
    ///
    /// - Parameters:
    ///   - exchanges: with their bodies in memory.
    ///   - redactor: takes their secrets out. Those that it fails on are left out, and named in the result.
    ///   - known: the secrets that it knows by name.
    ///   - variant: saves them as this variant of the sets that answer them, in the place of what it had there.
    /// - Throws: ``CassetteError`` when another recording of the cassette runs or the cassette cannot be used,
    ///   `FileError` when it cannot be written. Nothing of it is saved then, and nothing will be.
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
    ///   - isWhole: true if the recording has come to its end.
    ///   - removesJournal: false if the journal's folder, where there is one, is another recording's.
    private func save(
        _ contents: RecordingJournal.Contents,
        to location: CassetteLocation,
        isWhole: Bool,
        commandFailed: Bool = false,
        ledger: BodyLedger,
        removesJournal: Bool = true
    ) throws -> Saved {
        var unknown = UnknownSecrets()
        for exchange in contents.exchanges { unknown.note(exchange) }
        if self.isStrict, unknown.count > 0 {
            throw UnknownSecretsError(unknown: unknown, cassette: location.path, journal: location.journalFolder)
        }
        let storage = BodyStorage(location, ledger: ledger, digest: self.digest)
        let existing = try self.existing(location)
        try FileContents.makeFolder(location.folder)
        let cassette = existing?.cassette ?? Cassette(name: location.name, responseSets: [])
        let isAnew = isWhole && contents.purpose != .append
        let keepsAnswers = contents.purpose != .recordFailures
        // Sets may stay beside what is recorded, and their secrets keep their names.
        let isPartial = commandFailed || keepsAnswers && contents.exchanges.contains { $0.response.fault != nil }
        let numbering = SecretNumbering(
            contents.exchanges,
            shapes: contents.shapes,
            known: contents.known,
            taken: isAnew && !isPartial && contents.variant == nil ? [] : Self.names(in: existing)
        )
        let recording = try RecordingSorter.sort(
            numbering.exchanges,
            into: cassette,
            keptHeaders: self.keptHeaders,
            intoAnySet: contents.variant != nil,
            matchesBodies: contents.matchesBodies,
            storage: storage
        )
        var merge = CassetteMerge.Input(
            recording: recording,
            cassette: cassette,
            document: existing?.document,
            leftovers: !isAnew ? .keep : commandFailed ? .keepAfterFailure : .remove,
            isAppending: contents.purpose == .append,
            scenario: contents.variant.map { name in
                // An answer that somebody asked to keep is written, whatever it is.
                let unchanged = contents.purpose == .append ? [] : self.unchanged(recording, in: cassette)
                return CassetteMerge.Scenario(name: name, unchanged: unchanged)
            },
            keepsAnswers: keepsAnswers,
            secrets: numbering.secrets,
            namesInFiles: self.namesInFiles(of: cassette),
            hasEscapes: storage.hasEscapes
        )
        let effect = MergePlan(merge).effect
        if effect.unwritten > 0 {
            let used = self.secretNames(in: recording, writtenTo: cassette, effect)
            merge.secrets.removeAll { !used.contains($0.name) }
        }
        let (text, written) = try Self.readable(merge, location)
        let changed = existing?.document?.source != text
        // Whatever ends this process from here on, the next start deletes what the new text does not name.
        let named = Set(written.bodyFiles.map(\.name))
        for file in cassette.bodyFiles where !named.contains(file.name) { try ledger.note(file.name) }
        if changed { try FileContents.replace(location.path, with: text) }
        var saved = Saved(exchanges: recording.count, changed: changed)
        saved.effect = effect
        saved.effect.anyBody = recording.setsWithAnyBody(in: written, before: cassette)
        saved.unknown = unknown
        saved.exchanges -= effect.unwritten
        saved.lost = contents.exchanges.count - recording.count
        saved.effect.removedFiles = try ledger.removeUnnamed(by: written)
        if removesJournal { FileContents.removeFolder(location.journalFolder) }
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

    /// The names of secrets that a cassette has.
    private static func names(in existing: CassetteReader.Result?) -> Set<String> {
        guard let existing else { return [] }
        let written = existing.document.map { SecretPlaceholder.names(in: $0.source) } ?? []
        return written.union(existing.cassette.secrets.map(\.name))
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
        var result = CassetteReader.Result(cassette: merge.cassette, diagnostics: [], document: nil)
        for text in [CassetteMerge.edit(merge), CassetteMerge.rewrite(merge)].compactMap({ $0 }) {
            result = CassetteReader.read(text, name: location.name, path: location.path)
            if !result.hasErrors { return (text, result.cassette) }
        }
        throw CassetteError(result.diagnostics.filter { $0.severity == .error })
    }

    /// A cassette with errors is not written over: it may hold what a person wrote.
    func existing(_ location: CassetteLocation) throws -> CassetteReader.Result? {
        guard FileContents.exists(location.path) else { return nil }
        var source = try FileContents.read(location.path)
        // Lines are added behind the last one, so that has to be a whole one.
        if source.last != 0x0A { source.append(0x0A) }
        let result = CassetteReader.read(source, name: location.name, path: location.path)
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        return result
    }
}

extension Cassette {
    /// The names of secrets in bodies in base64, which do not show in its text.
    package var hiddenSecrets: Set<String> {
        var names: Set<String> = []
        for take in self.responseSets.lazy.flatMap(\.variants).flatMap(\.behaviour.allTakes) {
            for case .inline(let body) in [take.body, take.request?.body ?? .none] where body.form == .base64 {
                names.formUnion(SecretPlaceholder.names(in: body.decoded))
            }
        }
        return names
    }
}
