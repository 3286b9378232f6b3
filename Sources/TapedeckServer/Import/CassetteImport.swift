import TapedeckCassettes
import TapedeckCore
import TapedeckImport
import TapedeckLocking
import TapedeckRedaction
import TapedeckSessions
import TapedeckTLS

/// Makes cassettes of files of other tools.
package struct CassetteImport {
    /// The files to import, and the cassettes to write.
    package struct Options: Sendable {
        /// Files and folders.
        package var paths: [String]
        /// The name of a format; `nil` recognises it by what a file holds.
        package var format: String?
        /// A folder, or a `.yaml` file for all that is imported; `nil` is the folder of cassettes.
        package var out: String?
        /// The folder of cassettes; `nil` is the usual one.
        package var folder: String?
        /// True adds to cassettes that are there already; otherwise they are an error.
        package var appends = false

        package init(paths: [String]) {
            self.paths = paths
        }
    }

    /// The entries of files that go into one cassette.
    private struct Batch {
        var written: ImportReport.Written
        var exchanges: [(exchange: RecordedExchange, at: Place)] = []
        var stubs: [(stub: ImportedStub, at: Place)] = []
        var state: [StateEntry] = []
    }

    /// The place of an entry.
    private struct Place {
        let file: String
        let position: ImportedFile.Position
        let number: Int
    }

    package private(set) var report = ImportReport()
    private let options: Options
    private let configuration: DeckConfiguration
    private let now: Int
    /// Files that other files name, such as bodies.
    private let sides = Locked(Set<String>())
    /// Files that no format recognises.
    private var unrecognised: [ImportReport.Remark] = []
    private var batches: [Batch] = []
    private var places: [String: Int] = [:]

    /// Imports the files.
    ///
    /// - Parameter now: seconds since 1970, for entries that do not say when they were recorded.
    /// - Throws: ``DeckError`` when a path is not there, a cassette exists already or cannot be written, or the format is
    ///   not known. Cassettes that were written before stay.
    package init(_ options: Options, configuration: DeckConfiguration, now: Int) throws(DeckError) {
        self.options = options
        self.configuration = configuration
        self.now = now
        let format = try Self.format(options.format)
        for source in try ImportSources(options.paths).sources { self.read(source, format) }
        let sides = self.sides.withLock { $0 }
        self.report.unread += self.unrecognised.filter { remark in
            ImportSources.resolved(remark.file).map { !sides.contains($0) } ?? true
        }
        for batch in self.batches where !self.options.appends && FileContents.exists(batch.written.path) {
            throw DeckError(
                "\(batch.written.path) exists: add to it with --append, name another place with --out, or remove it first",
                kind: .badOption
            )
        }
        for batch in self.batches { try self.save(batch) }
    }

    private static func format(_ name: String?) throws(DeckError) -> (any ImportFormat)? {
        guard let name else { return nil }
        if let format = ImportFormats.named(name) { return format }
        let names = ImportFormats.all.map(\.name)
        let near = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
        throw DeckError(
            "there is no format '\(name)'\(near) (formats: \(names.joined(separator: ", ")))",
            kind: .badOption
        )
    }

    // MARK: Reading

    private mutating func read(_ source: ImportSources.Source, _ forced: (any ImportFormat)?) {
        // Bodies of stubs: they are read through the stubs that name them.
        if source.relative.map({ $0.hasPrefix("__files/") || $0.contains("/__files/") }) ?? false { return }
        guard let size = FileContents.size(source.path), size <= ImportSources.sizeLimit,
            let bytes = try? FileContents.read(source.path)
        else {
            self.refuse(source.path, "it cannot be read, or is larger than \(ImportSources.sizeLimit >> 30) GiB")
            return
        }
        let file = ImportFile(
            path: source.path,
            bytes: bytes,
            side: ImportSources.sides(of: source, noting: self.sides)
        )
        guard let format = forced ?? ImportFormats.recognising(file) else {
            self.unrecognised.append(
                .init(
                    file: source.path,
                    position: "line",
                    number: file.problem?.line ?? 0,
                    reason: file.unrecognised
                )
            )
            return
        }
        do throws(ForeignError) {
            self.take(try format.read(file), format, source, file)
        } catch {
            self.refuse(source.path, error.message, at: error.line)
        }
    }

    private mutating func refuse(_ path: String, _ reason: String, at line: Int = 0) {
        self.report.unread.append(.init(file: path, position: "line", number: line, reason: reason))
    }

    private mutating func take(
        _ contents: ImportedFile,
        _ format: any ImportFormat,
        _ source: ImportSources.Source,
        _ file: ImportFile
    ) {
        let path = self.cassette(for: source, format, file)
        let index = self.places[path] ?? self.batches.count
        if index == self.batches.count {
            self.batches.append(Batch(written: ImportReport.Written(path: path)))
            self.places[path] = index
        }
        var batch = self.batches[index]
        batch.written.files.append(source.path)
        if !batch.written.formats.contains(format.name) { batch.written.formats.append(format.name) }
        batch.written.entries += contents.exchanges.count + contents.stubs.count
        batch.state += contents.state
        // Of a file of one line the number of the entry tells more.
        let lines = contents.exchanges.map(\.line) + contents.stubs.map(\.line)
        let usesLines = contents.position == .line && Set(lines).count == lines.count
        func place(_ line: Int, _ index: Int) -> Place {
            Place(file: source.path, position: usesLines ? .line : .entry, number: usesLines ? line : index + 1)
        }
        for (index, entry) in contents.exchanges.enumerated() {
            switch entry.result {
            case .success(let exchange):
                let recorded = RecordedExchange(exchange, number: batch.exchanges.count + 1, now: self.now)
                batch.exchanges.append((recorded, place(entry.line, index)))
                self.note(exchange.notes, place(entry.line, index))
            case .failure(let leftOut):
                self.leaveOut(leftOut.reason, place(leftOut.line, index))
            }
        }
        for (index, entry) in contents.stubs.enumerated() {
            switch entry.result {
            case .success(let stub):
                batch.stubs.append((stub, place(entry.line, index)))
                self.note(stub.notes, place(entry.line, index))
            case .failure(let leftOut):
                self.leaveOut(leftOut.reason, place(leftOut.line, index))
            }
        }
        self.report.entries += contents.exchanges.count + contents.stubs.count
        self.batches[index] = batch
    }

    private mutating func leaveOut(_ reason: String, _ place: Place) {
        self.report.leftOut.append(
            .init(file: place.file, position: place.position.rawValue, number: place.number, reason: reason)
        )
    }

    private mutating func note(_ notes: [String], _ place: Place) {
        self.report.notes += notes.map {
            .init(file: place.file, position: place.position.rawValue, number: place.number, reason: $0)
        }
    }

    /// The path of the cassette that a file goes into.
    private func cassette(for source: ImportSources.Source, _ format: any ImportFormat, _ file: ImportFile) -> String {
        let folder = self.options.out ?? CassetteFolder.path(self.options.folder)
        if FilePath.withoutYAMLEnding(folder) != folder { return folder }
        if let group = format.group(source.path) { return FilePath.join(folder, "\(group).yaml") }
        let name =
            source.relative.map { relative in
                FilePath.join(FilePath.folder(of: relative), file.stem)
            } ?? file.stem
        let path = FilePath.join(folder, name.hasPrefix("./") ? String(name.dropFirst(2)) : name)
        // Two files of one name and another ending are two cassettes.
        var number = 1
        while let index = self.places[number == 1 ? "\(path).yaml" : "\(path)-\(number).yaml"],
            !self.batches[index].written.files.contains(source.path)
        {
            number += 1
        }
        return number == 1 ? "\(path).yaml" : "\(path)-\(number).yaml"
    }

    // MARK: Writing

    private mutating func save(_ batch: Batch) throws(DeckError) {
        guard !batch.exchanges.isEmpty || !batch.stubs.isEmpty else { return }
        var written = batch.written
        let location = CassetteFolder.location(batch.written.path, folder: nil)
        do {
            try FileContents.makeFolder(location.folder)
            let isNew = !FileContents.exists(location.path)
            let merged = MergedStubs(batch.stubs.map(\.stub.set))
            written.played += batch.stubs.count
            for refused in try Deck.store.add(merged.sets, state: batch.state, to: location) {
                for member in merged.members[refused.number] { self.leaveOut(refused.reason, batch.stubs[member].at) }
                written.played -= merged.members[refused.number].count
            }
            let redaction = self.configuration.redaction(try self.configuration.project.load())
            do {
                if written.played > 0 { try self.scrub(location, redaction) }
            } catch {
                // Its secrets are still in it.
                if isNew { try? FileContents.remove(location.path) }
                throw error
            }
            try self.save(batch.exchanges, to: location, redaction, &written)
            if written.played > 0 {
                written.secrets = try Deck.store.load(location).secrets.map(\.name)
                self.report.cassettes.append(written)
            }
        } catch {
            throw DeckError(error, kind: .notSaved)
        }
        self.report.played += written.played
    }

    private mutating func save(
        _ exchanges: [(exchange: RecordedExchange, at: Place)],
        to location: CassetteLocation,
        _ redaction: RedactionOptions,
        _ written: inout ImportReport.Written
    ) throws {
        guard !exchanges.isEmpty else { return }
        let existing = FileContents.exists(location.path) ? try Deck.store.load(location) : nil
        let known = existing?.secrets ?? []
        let redactor = try redaction.redactor(for: existing, knowing: known)
        let saved = try Deck.store.save(exchanges.map(\.exchange), to: location, redactor: redactor, known: known)
        let unsearched = exchanges.filter { saved.notRedactedNumbers.contains($0.exchange.number) }
        for ((_, place), reason) in zip(unsearched, saved.notRedacted) { self.leaveOut(reason, place) }
        let missing = exchanges.count - unsearched.count - saved.exchanges
        if missing > 0, let place = exchanges.first?.at {
            let what = DeckSummary.count(missing, "entry", "entries")
            self.leaveOut(
                "\(what) of failed requests: the cassette has answers for them already, which stay",
                Place(file: place.file, position: place.position, number: 0)
            )
        }
        written.played += saved.exchanges
    }

    private mutating func scrub(_ location: CassetteLocation, _ redaction: RedactionOptions) throws {
        let outcome = try SecretScrub.scrub(
            location,
            settings: [redaction.project],
            environment: redaction.environment,
            digest: { SHA256.hexDigest(of: $0) },
            writes: true
        )
        for left in outcome.left {
            self.report.notes.append(.init(file: location.path, position: "line", number: 0, reason: "\(left)"))
        }
    }
}
