import Synchronization
import TapedeckCodings
package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform
package import TapedeckProtobuf
import TapedeckRedaction

/// The append-only journal of a recording: a folder next to the cassette with one file of exchanges, and a file for
/// each body that is too large for it.
///
/// The file is written through a shared memory mapping. A copied byte is in the kernel's hands: it survives the kill
/// of this process, and copying it waits for no disk. Space is reserved before it is mapped, so that a full disk is an
/// error here and not a fault in the middle of a copy.
///
///     "TAPEDECK JOURNAL 4 record\n" …0    a header of 64 bytes
///     length  checksum  payload  …0       a record, its length a multiple of 8; a length of 0 is the end
///                                         two bits of the length say that it replaces one, or is void
///
/// The length is written last: a record that a kill cut short does not exist. An open journal is locked, so that nobody
/// takes it for an interrupted one. Data about secrets is in ``JournalSecrets``.
///
/// Several recordings of a cassette may run at once, also in several processes: each has a journal of its own, and they
/// are saved one after the other.
package final class RecordingJournal: Sendable {
    /// The effect of a recording on existing takes of the cassette.
    package enum Purpose: String, Sendable {
        /// They are replaced, but for answers that a failure would replace.
        case record
        /// They are replaced, by failures too.
        case recordFailures = "record-failures"
        /// They stay.
        case append
        /// No recording: an edit or a refresh of the cassette holds the folder meanwhile.
        case edit
    }

    private static let fileName = "exchanges"
    static let headerSize = 64
    private static let headerText = "TAPEDECK JOURNAL "
    /// The written version; every version up to it can be read.
    package static let version = 8
    /// The maximum space that is reserved at once; at first it doubles, so that many small recordings take little.
    private static let windowSize = 4 << 20
    private static let firstWindowSize = 256 << 10

    package let folder: String
    package let purpose: Purpose
    /// The variant that the recording is saved as; `nil` for a recording of the defaults.
    package let variant: String?
    /// True if a request body becomes a condition only where bodies of one method and URL differ.
    let answersAnyBody: Bool
    /// The beginning of the run that the recording is a part of; `nil` for exchanges from elsewhere.
    package let begin: Instant?
    let file: FileDescriptor
    let window: Locked<Window>
    private let secrets: Locked<JournalSecrets>
    /// See ``note(descriptors:)``.
    private let descriptors = Locked<DescriptorSet?>(nil)

    /// The part of the file that is mapped, and how far it is written.
    struct Window: ~Copyable {
        var memory: UnsafeMutableRawPointer?
        var start = 0
        var size = 0
        var end: Int
        /// The start of each record, and the length of its payload.
        var records: [(start: Int, count: Int)] = []

        deinit {
            if let memory = self.memory { munmap(memory, self.size) }
        }
    }

    /// Starts the journal of a recording in `folder`, which is made.
    ///
    /// - Parameters:
    ///   - variant: the variant that the recording is saved as; `nil` for a recording of the defaults.
    ///   - answersAnyBody: true if a request body becomes a condition only where bodies of one method and URL differ.
    ///   - begin: the beginning of the run that the recording is a part of; `nil` for exchanges from elsewhere.
    /// - Throws: ``CassetteError`` when another recording holds it, `FileError` when it cannot be written.
    package init(
        folder: String,
        purpose: Purpose,
        variant: String? = nil,
        answersAnyBody: Bool = false,
        begin: Instant? = nil
    ) throws {
        self.folder = folder
        self.purpose = purpose
        self.variant = variant
        self.answersAnyBody = answersAnyBody
        self.begin = begin
        try FileContents.makeFolder(folder, mode: 0o700)
        let path = FilePath.join(folder, Self.fileName)
        let file = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600, action: "write")
        guard Self.holds(file) else {
            throw Self.inUse(folder)
        }
        // Only if there is something to cut: a file that was cut is written to the disk when it is closed.
        guard try file.size == 0 || ftruncate(file.number, 0) == 0 else { throw FileError("write", path) }
        // Before the header: without that the journal does not count.
        try Self.write(variant, to: Self.variantFileName, in: folder)
        try Self.write(answersAnyBody ? "" : nil, to: Self.anyBodyFileName, in: folder)
        try Self.write(begin?.rfc3339, to: Self.beginFileName, in: folder)
        try Self.write(nil, to: Self.descriptorsFileName, in: folder)
        var header = Array("\(Self.headerText)\(Self.version) \(purpose.rawValue)\n".utf8)
        header += repeatElement(0, count: Self.headerSize - header.count)
        try header.withUnsafeBytes { try file.write($0) }
        self.file = file
        self.window = Locked(Window(end: Self.headerSize))
        self.secrets = Locked(try JournalSecrets(folder: folder))
    }

    /// Starts the journal of a recording of a cassette: in the cassette's journal folder or, while others run or wait for
    /// recovery, in a numbered folder inside it.
    ///
    /// - Parameter begin: the present time, or the beginning of a run of several decks. Recordings at the same time are of
    ///   one run, which began when the first of them did.
    /// - Throws: ``CassetteError`` when the cassette is being edited or refreshed, `FileError` when the journal cannot be
    ///   written.
    package static func start(
        at location: CassetteLocation,
        purpose: Purpose,
        variant: String? = nil,
        answersAnyBody: Bool = false,
        begin: Instant? = nil
    ) throws -> RecordingJournal {
        var number = 1
        let others = self.folders(in: location.journalFolder).filter(self.isLocked).compactMap(self.begin)
        let earliest = begin.map { begin in others.filter { $0 < begin }.min() ?? begin }
        while true {
            let folder = number == 1 ? location.journalFolder : FilePath.join(location.journalFolder, "\(number)")
            number += 1
            guard !self.exists(folder: folder) else { continue }
            do {
                let journal = try RecordingJournal(
                    folder: folder,
                    purpose: purpose,
                    variant: variant,
                    answersAnyBody: answersAnyBody,
                    begin: earliest
                )
                // An edit that began before this journal was locked has not seen it.
                guard folder == location.journalFolder || !self.isEdited(location) else {
                    self.remove(folder: folder)
                    throw self.inUse(location.path)
                }
                return journal
            } catch is CassetteError where !self.isEdited(location) && self.exists(folder: folder) {
                // Another recording was faster.
                continue
            } catch let error as FileError where error.isMissing {
                // The folder around it was removed meanwhile, with the last recording in it.
                number = 1
            }
        }
    }

    /// Locks a cassette for an edit or a refresh: no recording of it runs, and none starts, until the journal is removed.
    ///
    /// - Throws: ``CassetteError`` when a recording, an edit or a refresh runs, `FileError` when the folder cannot be
    ///   written.
    static func edit(_ location: CassetteLocation) throws -> RecordingJournal {
        let lock = try RecordingJournal(folder: location.journalFolder, purpose: .edit)
        guard !self.isRecording(location, besides: lock.folder) else {
            self.remove(folder: lock.folder)
            throw self.inUse(location.path)
        }
        return lock
    }

    private static func inUse(_ path: String) -> CassetteError {
        CassetteError(path: path, "another Tapedeck records, refreshes or edits this cassette; wait for it")
    }

    /// Returns true if an edit or a refresh of the cassette runs.
    private static func isEdited(_ location: CassetteLocation) -> Bool {
        guard self.isLocked(location.journalFolder) else { return false }
        let path = FilePath.join(location.journalFolder, self.fileName)
        let bytes = try? FileDescriptor(path, O_RDONLY, action: "read").read(upTo: self.headerSize)
        return bytes.flatMap { try? self.header($0, folder: location.journalFolder) }?.purpose == .edit
    }

    /// The folders of the journals of a cassette: of recordings that run, or that were cut short.
    ///
    /// - Parameter folder: the cassette's journal folder.
    static func folders(in folder: String) -> [String] {
        let numbers = FileContents.names(in: folder).compactMap { Int($0) }.sorted()
        return [folder] + numbers.map { FilePath.join(folder, "\($0)") }
    }

    /// Removes a journal, and the folder around it if that is empty then.
    package static func remove(folder: String) {
        FileContents.removeFolder(folder)
        let outer = FilePath.folder(of: folder)
        if Int(FilePath.name(of: folder)) != nil, outer.hasSuffix(".journal") { _ = rmdir(outer) }
    }

    /// Returns the path for the body with this name.
    package func bodyPath(_ name: String) -> String {
        FilePath.join(self.folder, name)
    }

    /// Notes secrets that have their names already, once, before the first exchange.
    ///
    /// - Throws: `FileError`.
    package func note(_ known: [SecretDescription]) throws {
        try self.secrets.withLock { try $0.note(known) }
    }

    /// Notes the traits of the secrets in an exchange, before it is added; those that are noted already cost little.
    ///
    /// - Throws: `FileError`.
    package func noteSecrets(in exchange: RecordedExchange, traits: (Int) -> SecretTraits) throws {
        var numbers: Set<Int> = []
        exchange.forEachPlaceholder { placeholder in
            if let number = placeholder.number { numbers.insert(number) }
        }
        guard !numbers.isEmpty else { return }
        try self.secrets.withLock { [numbers] in try $0.note(numbers, traits: traits) }
    }

    /// Notes the descriptors of calls that the cassette has none for. Earlier ones are replaced.
    ///
    /// - Throws: `FileError`.
    package func note(descriptors: DescriptorSet) throws {
        try self.descriptors.withLock { noted in
            let path = FilePath.join(self.folder, Self.descriptorsFileName)
            try FileContents.replace(path, with: descriptors.bytes, waitsForDisk: false)
            noted = descriptors
        }
    }

    /// Adds a finished, redacted exchange.
    ///
    /// - Parameter admit: called with the record's size before writing; throw to reject it.
    /// - Throws: `FileError` if there is no room for it, and errors of `admit`; earlier records stay.
    package func append(_ exchange: RecordedExchange, admit: (Int) throws -> Void = { _ in }) throws {
        try self.append(exchange, mark: 0, admit: admit)
    }

    /// In the length of a record that replaces an earlier one of its number.
    static let replacesMark: UInt32 = 0x8000_0000

    /// In the length of a void record, whatever its bytes.
    static let voidMark: UInt32 = 0x4000_0000

    /// - Parameter mark: what the length is marked with.
    func append(_ exchange: RecordedExchange, mark: UInt32, admit: (Int) throws -> Void) throws {
        let payload = JournalRecordWriter.encode(exchange)
        let checksum = payload.withUnsafeBytes { ContentCoder.checksum($0) }
        let size = (8 + payload.count + 7) & ~7
        try admit(size)
        // Held while the bytes are copied: event loops that record at once each wait for a copy, not for a disk.
        try self.window.withLock { window in
            try self.makeRoom(size + 8, in: &window)
            guard let memory = window.memory else { throw FileError("write", self.file.path) }
            let record = memory + (window.end - window.start)
            payload.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: record + 8, count: bytes.count).copyMemory(from: bytes)
            }
            record.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
            atomicMemoryFence(ordering: .releasing)
            record.storeBytes(of: (UInt32(payload.count) | mark).littleEndian, as: UInt32.self)
            window.records.append((window.end, payload.count))
            window.end += size
        }
    }

    /// Maps the next part of the file when `count` bytes do not fit in the present one.
    private func makeRoom(_ count: Int, in window: inout Window) throws {
        guard window.memory == nil || window.end + count > window.start + window.size else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = window.end / page * page
        let needed = window.end - start + count
        let usual = min(Self.windowSize, max(Self.firstWindowSize, start))
        let size = max(usual, (needed + page - 1) / page * page)
        try self.file.allocate(size, from: start)
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, self.file.number, off_t(start))
        guard let memory, memory != MAP_FAILED else { throw FileError("map", self.file.path) }
        if let old = window.memory { munmap(old, window.size) }
        window.memory = memory
        window.start = start
        window.size = size
    }

    // MARK: Reading

    /// The contents of a journal.
    package struct Contents: Sendable {
        package var purpose: Purpose
        /// In the order of their requests.
        package var exchanges: [RecordedExchange]
        /// The traits of secrets, by their numbers in the exchanges.
        package var secrets: [Int: SecretTraits] = [:]
        /// The secrets that had their names when the recording began.
        package var known: [SecretDescription] = []
        /// The variant that the recording is saved as; `nil` for a recording of the defaults.
        package var variant: String?
        /// True if a request body becomes a condition only where bodies of one method and URL differ.
        package var answersAnyBody = false
    }

    private static let variantFileName = "variant"
    /// An empty file, so that recovery needs no option.
    private static let anyBodyFileName = "any-body"
    private static let beginFileName = "begin"
    private static let descriptorsFileName = "descriptors.binpb"

    private static func begin(in folder: String) -> Instant? {
        let text = try? FileContents.read(FilePath.join(folder, self.beginFileName))
        return text.flatMap { Instant(rfc3339: String(decoding: $0, as: UTF8.self)) }
    }

    /// - Parameter text: `nil` leaves no such file.
    private static func write(_ text: String?, to name: String, in folder: String) throws {
        let path = FilePath.join(folder, name)
        if let text {
            try FileContents.replace(path, with: Array(text.utf8), waitsForDisk: false)
        } else if FileContents.exists(path) {
            try FileContents.remove(path)
        }
    }

    /// Reads the journal in `folder`; `nil` if it is missing, or its header is incomplete.
    ///
    /// - Throws: ``CassetteError`` for a journal of a newer Tapedeck.
    package static func read(folder: String) throws -> Contents? {
        guard let recording = try self.recording(in: folder) else { return nil }
        return Contents(
            purpose: recording.records.purpose,
            exchanges: try (0..<recording.records.count).map(recording.records.exchange),
            secrets: recording.secrets,
            known: recording.known,
            variant: recording.variant,
            answersAnyBody: recording.answersAnyBody
        )
    }

    /// Finds the recording whose journal is in `folder`; `nil` as for ``read(folder:)``.
    static func recording(in folder: String) throws -> Recording? {
        let path = FilePath.join(folder, self.fileName)
        guard FileContents.exists(path) else { return nil }
        let file = try FileDescriptor(path, O_RDONLY, action: "read")
        guard let records = try JournalRecords(file, folder: folder) else { return nil }
        let secrets = try JournalSecrets.read(folder: folder)
        let variant = FilePath.join(folder, self.variantFileName)
        let descriptors = FilePath.join(folder, self.descriptorsFileName)
        return Recording(
            records: records,
            secrets: secrets.traits,
            known: secrets.known,
            variant: FileContents.exists(variant)
                ? String(decoding: try FileContents.read(variant), as: UTF8.self) : nil,
            answersAnyBody: FileContents.exists(FilePath.join(folder, self.anyBodyFileName)),
            begin: self.begin(in: folder),
            // Without them the calls are saved by field numbers.
            descriptors: (try? FileContents.read(descriptors)).flatMap { try? DescriptorSet(parsing: $0) }
        )
    }

    /// Finds what this journal holds, from its open files: even if the folder was removed.
    ///
    /// - Throws: `FileError` when they cannot be read.
    func recording() throws -> Recording {
        guard let records = try JournalRecords(self.file, folder: self.folder) else {
            throw CassetteError(
                path: self.folder,
                "the journal's head is not as it was written; somebody has changed it"
            )
        }
        let secrets = try self.secrets.withLock { try $0.read() }
        return Recording(
            records: records,
            secrets: secrets.traits,
            known: secrets.known,
            variant: self.variant,
            answersAnyBody: self.answersAnyBody,
            begin: self.begin,
            descriptors: self.descriptors.withLock { $0 }
        )
    }

    /// The traits of the secrets in the exchanges, by their numbers.
    ///
    /// - Throws: `FileError` when they cannot be read.
    func secretTraits() throws -> [Int: SecretTraits] {
        try self.secrets.withLock { try $0.read() }.traits
    }

    /// True if the folder still has this journal; false if the folder was removed or replaced.
    var isInPlace: Bool { Self.isNamed(self.file) }

    /// Reads the header of a journal; `nil` when it is not whole.
    static func header(_ bytes: [UInt8], folder: String) throws -> (version: Int, purpose: Purpose)? {
        let line = bytes.prefix(self.headerSize).prefix { $0 != 0x0A }
        let text = String(decoding: line, as: UTF8.self)
        guard bytes.count >= self.headerSize, text.hasPrefix(self.headerText) else { return nil }
        let words = text.dropFirst(self.headerText.count).split(separator: " ", omittingEmptySubsequences: false)
        guard let version = words.first.flatMap({ Int($0) }), version >= 1 else { return nil }
        guard version <= self.version else {
            let message = "this journal was left by a newer Tapedeck; start that one, and it takes the journal up"
            throw CassetteError(path: folder, message)
        }
        guard words.count == 2, let purpose = Purpose(rawValue: String(words[1])) else { return nil }
        return (version, purpose)
    }

    /// True if there is a journal in `folder`.
    package static func exists(folder: String) -> Bool {
        FileContents.exists(FilePath.join(folder, self.fileName))
    }

    /// Returns true if a recording, a refresh or an edit of a cassette runs.
    ///
    /// - Parameter folder: the cassette's journal folder.
    package static func isInUse(folder: String) -> Bool {
        self.folders(in: folder).contains { self.isLocked($0) }
    }

    private static func isLocked(_ folder: String) -> Bool {
        let path = FilePath.join(folder, self.fileName)
        guard let file = try? FileDescriptor(path, O_RDONLY, action: "read") else { return false }
        return !file.lock()
    }

    /// Returns true if a recording, a refresh or an edit of a cassette runs in another folder than this one.
    static func isRecording(_ location: CassetteLocation, besides folder: String) -> Bool {
        self.folders(in: location.journalFolder).contains { $0 != folder && self.isLocked($0) }
    }

    /// A lock on a journal, for as long as this value lives.
    struct Claim {
        fileprivate let file: FileDescriptor?
    }

    /// Claims the journal in `folder`; `nil` when another process has it.
    static func claim(folder: String) throws -> Claim? {
        do {
            let file = try FileDescriptor(FilePath.join(folder, self.fileName), O_RDONLY, action: "read")
            return self.holds(file) ? Claim(file: file) : nil
        } catch let error as FileError where error.isMissing {
            // A folder without a journal in it: what is left of one that was being removed.
            return Claim(file: nil)
        }
    }

    /// Locks the file, and checks that it still has its name: the previous owner may have removed it.
    private static func holds(_ file: FileDescriptor) -> Bool {
        file.lock() && self.isNamed(file)
    }

    static func isNamed(_ file: FileDescriptor) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(file.number, &held) == 0 && stat(file.path, &named) == 0 && held.st_ino == named.st_ino
    }
}
