import TapedeckCore
import TapedeckYAML

/// Writes a recording as a new cassette, set by set, so that memory does not grow with the recording.
///
/// The text goes to a temporary file, which is renamed once all of it was read back: the journal is kept until it is
/// certain that the cassette can be used.
final class NewCassette {
    /// The written parts.
    struct Written {
        var exchanges = 0
        /// The names of the body files.
        var bodyFiles: Set<String> = []
        /// The names of the sets that were recorded with request bodies and have no condition on them.
        var anyBody: [String] = []
        /// The names of the sets.
        var sets: [String] = []
    }

    /// About how many bytes of text are made and read back at once. 1 MiB.
    private static let pieceSize = 1 << 20
    /// The columns of the dashes of sets and of takes.
    private static let setColumn = 2
    private static let takeColumn = 10
    private let location: CassetteLocation
    private let variant: String
    private let isScenario: Bool
    private let file: TemporaryFile
    private var names = SetNames(taken: [])
    /// The names of all sets, if a profile needs them.
    private var choices: [Profile.Choice] = []
    /// Text that is not in the file yet.
    private var unwritten: [UInt8] = []
    /// Takes that are no text yet.
    private var piece: CassettePiece
    /// The piece in front of it, while another thread makes its text and reads that back.
    private var running: CassettePiece.Running?
    private var size = 0
    private var hasSets = false
    private(set) var written = Written()
    /// True if live text that looks like a placeholder is escaped in what was written.
    private(set) var hasEscapes = false

    /// - Parameters:
    ///   - secrets: those in the recording.
    ///   - declaresSecrets: true to write `secrets:` even if there are none.
    ///   - descriptors: the file for the descriptors that the recording noted.
    ///   - surroundings: those of the recording that its requests contain.
    ///   - scenario: the variant and the profile that the recording is saved as; `nil` for one of the defaults.
    /// - Throws: `FileError` if the file cannot be created.
    init(
        _ location: CassetteLocation,
        secrets: [SecretDescription],
        declaresSecrets: Bool,
        descriptors: DescriptorFile?,
        surroundings: Surroundings,
        scenario: String?
    ) throws {
        self.location = location
        self.variant = scenario ?? CassetteMerge.variantName
        self.isScenario = scenario != nil
        self.file = try TemporaryFile(beside: location.path)
        var cassette = Cassette(name: location.name, responseSets: [])
        cassette.secrets = secrets
        cassette.declaresSecrets = declaresSecrets || !secrets.isEmpty
        cassette.descriptors = [].adding(descriptors)
        cassette.surroundings = surroundings
        self.piece = CassettePiece(
            location,
            head: CassetteWriter.text(of: "tapedeck", in: cassette)
                + CassetteWriter.text(of: "descriptors", in: cassette) + Array("responseSets:\n".utf8),
            column: Self.takeColumn
        )
        self.unwritten = CassetteWriter.text(beforeSetsOf: cassette)
    }

    deinit {
        self.running?.wait()
        // One that has taken its place has this name no more.
        try? FileContents.remove(self.file.file.path)
    }

    /// Writes a set with its takes; one without any is left out.
    ///
    /// - Throws: `FileError` when it cannot be written, ``CassetteError`` when it could not be read.
    func add(_ set: RecordedSet, takes: RecordingSorter.Takes) throws {
        /// The lines of the set in front of its takes.
        var start: [UInt8] = []
        try takes { take in
            self.written.exchanges += take.times
            let isFirst = start.isEmpty
            if isFirst { start = self.start(of: set) }
            self.piece.append(take, start: start, isFirst: isFirst)
            if self.piece.size >= Self.pieceSize { try self.passOn() }
        }
    }

    private func start(of set: RecordedSet) -> [UInt8] {
        let name = self.names.name(of: set.request, isAlone: set.isAlone)
        self.written.sets.append(name)
        if self.isScenario { self.choices.append(Profile.Choice(.set(name), self.variant)) }
        if !self.hasSets { self.unwritten += "responseSets:\n".utf8 }
        self.hasSets = true
        let new = ResponseSet(name: name, request: set.matcher, variants: [])
        return CassetteWriter.start(of: new, self.variant, indent: Self.setColumn)
    }

    /// Puts the cassette in its place.
    ///
    /// - Throws: as ``add(_:takes:)``. Nothing is in its place then.
    func finish() throws {
        if !self.hasSets { self.unwritten += "responseSets: []\n".utf8 }
        try self.flush()
        if self.isScenario {
            self.unwritten = CassetteWriter.text(of: [Profile(name: self.variant, choices: self.choices)])
            try self.write()
        }
        try FileContents.put(self.file, in: self.location.path)
    }

    /// Reads back what is not read yet, and writes it.
    func flush() throws {
        if !self.piece.isEmpty { try self.passOn() }
        try self.takeOver()
        try self.write()
    }

    /// Leaves the piece to another thread, while the next takes are made.
    private func passOn() throws {
        try self.takeOver()
        self.running = self.piece.start()
        self.piece.removeAll()
    }

    /// Writes the text of the piece that another thread has read back.
    private func takeOver() throws {
        guard let running = self.running else { return }
        self.running = nil
        let done = running.result()
        guard !done.read.hasErrors else {
            throw CassetteError(done.read.diagnostics.filter { $0.severity == .error })
        }
        self.hasEscapes = self.hasEscapes || done.hasEscapes
        for file in done.read.cassette.bodyFiles { self.written.bodyFiles.insert(file.name) }
        for set in done.read.cassette.responseSets where set.answersAnyRecordedBody(done.read.cassette.matching) {
            // The takes of a large set are read in several pieces.
            if self.written.anyBody.last != set.name { self.written.anyBody.append(set.name) }
        }
        self.unwritten += done.text
        try self.write()
    }

    private func write() throws {
        self.size += self.unwritten.count
        let limit = YAMLLimits().maximumBytes
        guard self.size <= limit else {
            throw CassetteError(
                path: self.location.path,
                "the recording has more text than a cassette may: \(limit) bytes"
            )
        }
        do {
            try self.unwritten.withUnsafeBytes { try self.file.file.write($0) }
        } catch let error as FileError {
            // The file that the user knows.
            throw FileError(error.action, self.location.path, code: error.code)
        }
        self.unwritten.removeAll(keepingCapacity: true)
    }
}

/// Names for new sets, each used once: method, host and path; with the query where that alone is taken; with a number where
/// that is taken too.
struct SetNames {
    /// Hashes of the names, since there are many.
    private var taken: Set<Int>
    /// The numbers that may be free next, by the hash of a name: a GraphQL API has one URL for everything.
    private var numbers: [Int: Int] = [:]

    init(taken: Set<String>) {
        self.taken = Set(taken.map(\.hashValue))
    }

    /// - Parameter isAlone: true if no other new set has its method, host and path.
    mutating func name(of request: RecordedRequest, isAlone: Bool) -> String {
        let short = request.shortName
        let isFree = isAlone && !self.taken.contains(short.hashValue)
        let full = isFree ? short : short + (request.query.map { "?\($0)" } ?? "")
        var name = full
        while !self.taken.insert(name.hashValue).inserted {
            let number = self.numbers[full.hashValue, default: 2]
            self.numbers[full.hashValue] = number + 1
            name = "\(full) (\(number))"
        }
        return name
    }
}
