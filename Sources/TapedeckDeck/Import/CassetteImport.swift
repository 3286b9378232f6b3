package import TapedeckCassettes
package import TapedeckControlAPI
import TapedeckCore
import TapedeckImport
import TapedeckLocking
import TapedeckMaintenance
import TapedeckRedaction
import TapedeckSessions
import TapedeckTLS

/// Makes cassettes of files of other tools.
package struct CassetteImport {
    /// The files to import, and the cassettes to write.
    package struct Options: Sendable {
        /// Files and folders.
        package var paths: [String]
        /// The name of a format; `nil` recognises it by the content.
        package var format: String?
        /// A folder, or a `.yaml` file for all that is imported; `nil` is the folder of cassettes.
        package var out: String?
        /// The folder of cassettes; `nil` is the usual one.
        package var folder: String?
        /// True adds to cassettes that are there already; otherwise they are an error.
        package var appends = false
        /// True keeps requests without an answer in ``CassetteImport/unanswered``; otherwise they are left out.
        package var asks = false
        /// The environment of the files to use for the placeholders of requests; `nil` uses one that is alone.
        package var environment: String?
        /// Values of variables, over those of the files.
        package var variables: [String: String] = [:]

        package init(paths: [String]) {
            self.paths = paths
        }
    }

    /// The entries of files that go into one cassette.
    private struct Batch {
        var written: ImportReport.Written
        /// Large files that are read when the cassette is written.
        var streams: [(stream: EntryStream, path: String)] = []
        var exchanges: [(exchange: RecordedExchange, at: Place)] = []
        var stubs: [(stub: ImportedStub, at: Place)] = []
        /// False as soon as a file does not say which stub comes first.
        var isOrdered = true
        var state: [StateEntry] = []
    }

    /// The place of an entry.
    struct Place {
        let file: String
        let position: ImportedFile.Position
        let number: Int
    }

    package internal(set) var report = ImportReport()
    /// Requests without an answer, by the path of the cassette that their answers go into.
    var unanswered: [(path: String, requests: [(request: ForeignRequest, at: Place)])] = []
    /// The entries in the report of cassettes that have only such requests, by their paths.
    var asked: [String: ImportReport.Written] = [:]
    private let options: Options
    private let formats: ImportFormats
    private let configuration: DeckConfiguration
    private let now: Int
    private let progress: WorkProgress?
    /// Files that other files name, such as bodies.
    private let sides = Locked(Set<String>())
    /// Files that no format recognises.
    private var unrecognised: [ImportReport.Remark] = []
    private var batches: [Batch] = []
    private var places: [String: Int] = [:]
    private var paths: ImportedPaths

    /// Imports the files.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970, for entries that do not say when they were recorded.
    ///   - progress: counts the files that are read, then the entries that are searched for secrets.
    /// - Throws: ``DeckError`` when a path is not there, a cassette exists already or cannot be written, or the format is
    ///   not known. Cassettes that were written before stay.
    package init(
        _ options: Options,
        configuration: DeckConfiguration,
        now: Int,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        self.init(unread: options, configuration, now, progress)
        let format = try self.format(options.format)
        let sources = try ImportSources(options.paths)
        for (path, reason) in sources.skipped {
            self.report.notes.append(.init(file: path, position: "line", number: 0, reason: reason))
        }
        progress?.begin(sources.sources.count)
        for source in sources.sources {
            self.read(source, format)
            progress?.step()
        }
        try self.saveAll()
    }

    /// Imports a file that is in memory. It can name no other files.
    ///
    /// - Parameters:
    ///   - options: `out` names the cassette.
    ///   - name: the name of the file, for the report.
    /// - Throws: ``DeckError``, as for files on disk.
    package init(
        _ bytes: [UInt8],
        named name: String,
        _ options: Options,
        configuration: DeckConfiguration,
        now: Int
    ) throws(DeckError) {
        self.init(unread: options, configuration, now, nil)
        let source = ImportSources.Source(path: name, root: "", relative: nil)
        self.read(bytes, source, try self.format(options.format)) { _ in nil }
        try self.saveAll()
    }

    private init(
        unread options: Options,
        _ configuration: DeckConfiguration,
        _ now: Int,
        _ progress: WorkProgress?
    ) {
        self.progress = progress
        self.options = options
        self.formats = ImportFormats(
            values: RequestValues(environment: options.environment, variables: options.variables)
        )
        self.configuration = configuration
        self.now = now
        self.paths = ImportedPaths(out: options.out ?? CassetteFolder.path(options.folder))
    }

    private mutating func saveAll() throws(DeckError) {
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
        // The number of entries of a file that is read entry by entry is not known.
        let isKnown = self.batches.allSatisfy { $0.streams.isEmpty }
        self.progress?.begin(isKnown ? self.batches.reduce(0) { $0 + $1.exchanges.count + $1.stubs.count } : 0)
        for batch in self.batches { try self.save(batch) }
        self.hideSecrets()
    }

    /// Reasons quote files, which may be of secrets.
    mutating func hideSecrets() {
        // With rules that cannot be used, nothing was saved either.
        let project = try? self.configuration.project.load()
        let options = self.configuration.redaction(project ?? ProjectSettings())
        guard let redactor = try? options.redactor(for: nil, knowing: []) else { return }
        func hide(_ remarks: inout [ImportReport.Remark]) {
            for index in remarks.indices { remarks[index].reason = redactor.text(remarks[index].reason) }
        }
        hide(&self.report.leftOut)
        hide(&self.report.notes)
        hide(&self.report.unread)
    }

    private func format(_ name: String?) throws(DeckError) -> (any ImportFormat)? {
        guard let name else { return nil }
        if let format = self.formats.named(name) { return format }
        let names = self.formats.all.map(\.name)
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
        if self.readsAsStream(source, forced) { return }
        guard let size = FileContents.size(source.path), size <= ImportSources.sizeLimit,
            let bytes = try? FileContents.read(source.path)
        else {
            self.refuse(source.path, "it cannot be read, or is larger than \(ImportSources.sizeLimit >> 30) GiB")
            return
        }
        self.read(
            bytes,
            source,
            forced,
            side: ImportSources.sides(of: source, noting: self.sides),
            siblings: { ImportSources.siblings(of: source) }
        )
    }

    private mutating func read(
        _ bytes: [UInt8],
        _ source: ImportSources.Source,
        _ forced: (any ImportFormat)?,
        side: @escaping ImportFile.Sides,
        siblings: @escaping ImportFile.Siblings = { [] }
    ) {
        do throws(ForeignError) {
            for file in try PackedFile.files(path: source.path, bytes: bytes, side: side, siblings: siblings) {
                self.read(file, source, forced)
            }
        } catch {
            self.refuse(source.path, error.message)
        }
    }

    private mutating func read(_ file: ImportFile, _ source: ImportSources.Source, _ forced: (any ImportFormat)?) {
        guard !file.isEmpty else {
            self.report.notes.append(
                .init(file: source.path, position: "line", number: 0, reason: "it is empty: it has no entries")
            )
            return
        }
        guard let format = forced ?? self.formats.recognising(file) else {
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
            self.take(try format.read(file), format, source)
        } catch {
            self.refuse(source.path, error.message, at: error.line)
        }
    }

    /// True if the file is a large one that is read entry by entry: exchanges when their cassette is written, stubs at once.
    private mutating func readsAsStream(_ source: ImportSources.Source, _ forced: (any ImportFormat)?) -> Bool {
        guard let size = FileContents.size(source.path), size > ImportSources.wholeLimit,
            size <= ImportSources.streamLimit,
            let stream = try? EntryStream(
                source.path,
                { try ImportSources.pieces(of: source.path) },
                side: ImportSources.sides(of: source, noting: self.sides),
                formats: forced.map(ImportFormats.init(only:)) ?? self.formats
            )
        else { return false }
        if stream.hasStubs {
            guard size <= ImportSources.sizeLimit, let pieces = try? ImportSources.pieces(of: source.path),
                let stubs = try? stream.stubs(pieces)
            else { return false }
            self.take(stubs, stream.format, source)
            return true
        }
        let index = self.batch(for: source, stream.format)
        self.batches[index].streams.append((stream, source.path))
        return true
    }

    /// The number of the batch that a file goes into.
    private mutating func batch(for source: ImportSources.Source, _ format: any ImportFormat) -> Int {
        let path = self.paths.path(for: source, group: format.group(source.path))
        let index = self.places[path] ?? self.batches.count
        if index == self.batches.count {
            self.batches.append(Batch(written: ImportReport.Written(path: path)))
            self.places[path] = index
        }
        self.batches[index].written.files.append(source.path)
        if !self.batches[index].written.formats.contains(format.name) {
            self.batches[index].written.formats.append(format.name)
        }
        return index
    }

    private mutating func refuse(_ path: String, _ reason: String, at line: Int = 0) {
        self.report.unread.append(.init(file: path, position: "line", number: line, reason: reason))
    }

    private mutating func take(
        _ contents: ImportedFile,
        _ format: any ImportFormat,
        _ source: ImportSources.Source
    ) {
        if contents.exchanges.isEmpty, contents.stubs.isEmpty, contents.requests.isEmpty {
            let reason = "it has no entries that \(format.name) could play"
            // A format that the user named may be the wrong one.
            if self.options.format != nil { return self.refuse(source.path, reason) }
            self.report.notes.append(.init(file: source.path, position: "line", number: 0, reason: reason))
        }
        let index = self.batch(for: source, format)
        var batch = self.batches[index]
        let count = contents.exchanges.count + contents.stubs.count + contents.requests.count
        batch.written.entries += count
        batch.state += contents.state
        if !contents.stubs.isEmpty { batch.isOrdered = batch.isOrdered && contents.isOrdered }
        // For a file of one line, the number of the entry is more useful.
        let lines = contents.exchanges.map(\.line) + contents.stubs.map(\.line) + contents.requests.map(\.line)
        let usesLines = contents.position == .line && Set(lines).count == lines.count
        // The numbers of entries are those of the file: it may hold others in between.
        let isCounted = contents.position == .entry && Set(lines).count == lines.count
        func place(_ line: Int, _ index: Int) -> Place {
            Place(
                file: source.path,
                position: usesLines ? .line : .entry,
                number: usesLines || isCounted ? line : index + 1
            )
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
        for (index, entry) in contents.requests.enumerated() {
            let place = place(entry.line, contents.exchanges.count + contents.stubs.count + index)
            switch entry.result {
            case .success(let request) where self.options.asks:
                self.note(request.notes, place)
                self.keep(request, at: place, for: batch.written.path)
            case .success:
                self.leaveOut("it is a request without an answer: --ask sends it and records the answer", place)
            case .failure(let leftOut):
                self.leaveOut(leftOut.reason, place)
            }
        }
        self.report.entries += count
        self.batches[index] = batch
    }

    private mutating func keep(_ request: ForeignRequest, at place: Place, for path: String) {
        if let index = self.unanswered.firstIndex(where: { $0.path == path }) {
            self.unanswered[index].requests.append((request, place))
        } else {
            self.unanswered.append((path, [(request, place)]))
        }
    }

    mutating func leaveOut(_ reason: String, _ place: Place) {
        self.report.leftOut.append(
            .init(file: place.file, position: place.position.rawValue, number: place.number, reason: reason)
        )
    }

    private mutating func note(_ notes: [String], _ place: Place) {
        self.report.notes += notes.map {
            .init(file: place.file, position: place.position.rawValue, number: place.number, reason: $0)
        }
    }

    // MARK: Writing

    private mutating func save(_ batch: Batch) throws(DeckError) {
        guard !batch.exchanges.isEmpty || !batch.stubs.isEmpty || !batch.streams.isEmpty else {
            self.asked[batch.written.path] = batch.written
            return
        }
        var written = batch.written
        let location = CassetteFolder.location(batch.written.path, folder: nil)
        do {
            try FileContents.makeFolder(location.folder)
            let redaction = self.configuration.redaction(try self.configuration.project.load())
            try self.saveStubs(batch, to: location, redaction, &written)
            try self.save(batch, to: location, redaction, &written)
            if written.played > 0 {
                written.secrets = try Deck.store.load(location).secrets.map(\.name)
                self.report.cassettes.append(written)
            }
        } catch let error as CassetteError {
            // The other cassettes are written.
            for file in batch.written.files { self.refuse(file, "\(error)") }
        } catch {
            throw DeckError(error, kind: .notSaved)
        }
        self.report.played += written.played
    }

    private mutating func saveStubs(
        _ batch: Batch,
        to location: CassetteLocation,
        _ redaction: RedactionOptions,
        _ written: inout ImportReport.Written
    ) throws {
        defer { self.progress?.step(batch.stubs.count) }
        var batch = batch
        if batch.isOrdered {
            // Stable, so that of one priority the first stays the first.
            batch.stubs = batch.stubs.enumerated()
                .sorted { ($1.element.stub.set.priority, $0.offset) < ($0.element.stub.set.priority, $1.offset) }
                .map(\.element)
        }
        var merged = MergedStubs(batch.stubs.map(\.stub.set))
        if batch.isOrdered { merged.order() }
        let intake = try StubIntake(merged.sets, state: batch.state, to: location, redaction)
        written.played += batch.stubs.count
        for (number, reason) in intake.refused.sorted(by: { $0.key < $1.key }) {
            for member in merged.members[number] { self.leaveOut(reason, batch.stubs[member].at) }
            written.played -= merged.members[number].count
        }
        for left in intake.left {
            self.report.notes.append(.init(file: location.path, position: "line", number: 0, reason: "\(left)"))
        }
    }

    private mutating func save(
        _ batch: Batch,
        to location: CassetteLocation,
        _ redaction: RedactionOptions,
        _ written: inout ImportReport.Written
    ) throws {
        guard !batch.exchanges.isEmpty || !batch.streams.isEmpty else { return }
        let existing = FileContents.exists(location.path) ? try Deck.store.load(location) : nil
        let known = existing?.secrets ?? []
        let redactor = try redaction.redactor(for: existing, knowing: known) { SHA256.hexDigest(of: $0) }
        let intake = try ExchangeIntake(Deck.store, location, redactor: redactor, known: known, isRepeatable: true)
        var added = 0
        for (exchange, place) in batch.exchanges {
            defer { self.progress?.step() }
            if let reason = try intake.add(exchange) {
                self.leaveOut(reason, place)
            } else {
                added += 1
            }
        }
        for (stream, path) in batch.streams { try self.add(stream, path, to: intake, &written, &added) }
        let saved = try intake.finish()
        if added > saved.exchanges, let file = batch.written.files.first {
            let what = Plural.text(added - saved.exchanges, "entry", "entries")
            self.leaveOut(
                "\(what) of failed requests: the cassette has answers for them already, which stay",
                Place(file: file, position: .line, number: 0)
            )
        }
        if let file = batch.written.files.first {
            let notes = saved.unknown.files.map { "a file in it holds secrets, and stays: \($0)" }
            self.note(notes, Place(file: file, position: .line, number: 0))
        }
        written.played += saved.exchanges
    }

    /// The most entries of one such file that are played: a cassette is in memory as a whole. 100,000.
    private static let entryLimit = 100_000

    private mutating func add(
        _ stream: EntryStream,
        _ path: String,
        to intake: ExchangeIntake,
        _ written: inout ImportReport.Written,
        _ added: inout Int
    ) throws {
        var number = 0
        try stream.read(try ImportSources.pieces(of: path)) { entry in
            number += 1
            defer { self.progress?.step() }
            let place = Place(
                file: path,
                position: stream.hasLines ? .line : .entry,
                number: stream.hasLines ? entry.line : number
            )
            switch entry.result {
            case .success where number > Self.entryLimit:
                self.leaveOut("a cassette takes \(Self.entryLimit) entries of one file: split the file", place)
            case .success(let exchange):
                if let reason = try intake.add(RecordedExchange(exchange, number: number, now: self.now)) {
                    self.leaveOut(reason, place)
                } else {
                    added += 1
                    self.note(exchange.notes, place)
                }
            case .failure(let leftOut):
                let place = Place(file: path, position: place.position, number: stream.hasLines ? leftOut.line : number)
                self.leaveOut(leftOut.reason, place)
            }
        }
        written.entries += number
        self.report.entries += number
    }
}
