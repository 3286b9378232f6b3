package import TapedeckCore
import TapedeckLocking
package import TapedeckRedaction

/// Saves exchanges from elsewhere into a cassette, one after the other, as a recording in the mode `append` does: takes
/// of existing sets are added after the others.
///
/// They go through a journal like any recording: if this process ends in the middle, the next start finishes it, or discards
/// it if that was asked for. An interrupted recording is recovered first. Large bodies go to files of the journal, so that memory holds only one.
package final class ExchangeIntake {
    /// Bodies above this size go to files. 64 KiB, as ``BodyStorage`` puts them in files in the end.
    private static let largeLimit = BodyStorage.inlineLimit
    /// Once the bodies in memory have this size together, those above ``BodyStorage/base64Limit`` go to files. 64 MiB.
    private static let memoryBudget = BodyStorage.inlineBudget

    private let store: CassetteStore
    private let location: CassetteLocation
    private let redactor: Redactor
    private let journal: RecordingJournal
    /// Exchanges that are in the journal.
    private var count = 0
    private var inMemory = 0
    private var files = 0
    private var problems: [String] = []
    private var refused: Set<Int> = []
    private var isOver = false

    /// - Parameters:
    ///   - redactor: takes their secrets out.
    ///   - known: the secrets that it knows by name.
    ///   - variant: the variant that the exchanges are saved as; `nil` adds them to the defaults.
    ///   - isRepeatable: true if the exchanges are given again when this process ends in the middle; then nothing is saved of
    ///     those that came before.
    /// - Throws: ``CassetteError`` when another recording of the cassette runs, `FileError` when the journal cannot be written.
    package init(
        _ store: CassetteStore,
        _ location: CassetteLocation,
        redactor: Redactor,
        known: [SecretDescription] = [],
        variant: ScenarioName? = nil,
        isRepeatable: Bool = false
    ) throws {
        _ = try store.recover(location)
        // They are given on purpose.
        self.store = store.keepingFaults
        self.location = location
        self.redactor = redactor
        self.journal = try RecordingJournal.start(
            at: location,
            purpose: .append,
            variant: variant?.text,
            answersAnyBody: store.answersAnyBody
        )
        if isRepeatable { try Self.markRepeatable(self.journal.folder) }
        try self.journal.note(known)
    }

    /// An empty file in the journal of exchanges that are given again.
    private static let repeatableMark = "repeatable"

    private static func markRepeatable(_ folder: String) throws {
        try FileContents.replace(FilePath.join(folder, self.repeatableMark), with: [], waitsForDisk: false)
    }

    /// True if the exchanges of an interrupted journal are given again, so that it is discarded.
    static func isRepeatable(_ folder: String) -> Bool {
        FileContents.exists(FilePath.join(folder, self.repeatableMark))
    }

    deinit {
        // Nothing of it is saved then, now or later.
        if !self.isOver { RecordingJournal.remove(folder: self.journal.folder) }
    }

    /// Adds an exchange with its bodies in memory.
    ///
    /// - Returns: the reason for which it is left out: it cannot be redacted. `nil` for one that is added.
    /// - Throws: `FileError` when it cannot be written.
    @discardableResult
    package func add(_ exchange: RecordedExchange) throws -> String? {
        var redacted: RecordedExchange
        do throws(RedactionFailure) {
            redacted = try exchange.redacted(by: self.redactor)
        } catch {
            let problem = "\(exchange.method) \(self.redactor.text(exchange.url)): \(error)"
            self.problems.append(problem)
            self.refused.insert(exchange.number)
            return problem
        }
        redacted.requestBody = try self.kept(redacted.requestBody, of: exchange.requestBody)
        redacted.response.body = try self.kept(redacted.response.body, of: exchange.response.body)
        try self.journal.noteSecrets(in: redacted) { self.redactor.vault.traits($0) }
        try self.journal.append(redacted)
        self.count += 1
        return nil
    }

    /// Writes the cassette.
    ///
    /// - Throws: ``CassetteError`` when the cassette cannot be used, `FileError` when it cannot be written. Nothing of it is
    ///   saved then, and nothing will be.
    package func finish() throws -> CassetteStore.Saved {
        // Secrets found in the last exchanges may occur in the first.
        var saved = try self.store.finish(self.journal, to: self.location, expecting: self.count) { exchange, _ in
            self.searched(exchange)
        }
        self.isOver = true
        saved.notRedacted = self.problems
        saved.notRedactedNumbers = self.refused
        return saved
    }

    // MARK: Bodies

    /// Returns the body in the journal's form. One that redaction changed stays in memory: files of a journal contain
    /// no placeholders.
    private func kept(_ body: RecordedBody, of original: RecordedBody) throws -> RecordedBody {
        guard case .bytes(let bytes) = body else { return body }
        let limit = self.inMemory > Self.memoryBudget ? BodyStorage.base64Limit : Self.largeLimit
        guard bytes.count > limit, body == original else {
            self.inMemory += bytes.count
            return body
        }
        // Each has a file of its own, as it is moved to its place.
        self.files += 1
        let name = "body-\(self.files)"
        try bytes.withUnsafeBytes { try BodyFileWriter(path: self.journal.bodyPath(name)).write($0) }
        return .file(name: name, size: bytes.count, sha256: self.store.digest(bytes))
    }

    /// The exchange without the secrets that are known by now, those in the files of its bodies too.
    private func searched(_ exchange: RecordedExchange) -> RecordedExchange {
        var whole = exchange
        whole.requestBody = self.loaded(exchange.requestBody, exchange.requestHeaders)
        whole.response.body = self.loaded(exchange.response.body, exchange.response.headers)
        var searched = whole.searchedLast(by: self.redactor)
        if searched.requestBody == whole.requestBody { searched.requestBody = exchange.requestBody }
        if searched.response.body == whole.response.body { searched.response.body = exchange.response.body }
        // Without its shape a secret plays as a token.
        try? self.journal.noteSecrets(in: searched) { self.redactor.vault.traits($0) }
        return searched
    }

    private func loaded(_ body: RecordedBody, _ headers: [HeaderField]) -> RecordedBody {
        guard case .file(let name, let size, _) = body, size <= self.redactor.bodyLimit,
            let bytes = try? FileContents.read(self.journal.bodyPath(name)),
            self.redactor.searches(headers: headers, start: bytes.prefix(16 << 10))
        else { return body }
        return .bytes(bytes)
    }
}
