import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf

/// The exchanges in the file of a journal: found in one pass, then read one at a time, so that memory holds one of them.
struct JournalRecords {
    /// A record without its length and checksum.
    private struct Place {
        var start: Int
        var count: Int
    }

    let purpose: RecordingJournal.Purpose
    private let file: FileDescriptor
    private let version: Int
    /// In the order of their requests.
    private let places: [Place]

    /// How much of the file is read at once, at least. 1 MiB.
    private static let pieceSize = 1 << 20

    /// - Parameters:
    ///   - file: the open file, which must not change while this is used.
    ///   - folder: the journal's, for errors.
    /// - Returns: `nil` when there is no whole header.
    /// - Throws: ``CassetteError`` for one that a newer Tapedeck wrote, `FileError` when it cannot be read.
    init?(_ file: FileDescriptor, folder: String) throws {
        let size = try file.size
        let header = try file.read(at: 0, count: min(size, RecordingJournal.headerSize))
        guard let (version, purpose) = try RecordingJournal.header(header, folder: folder) else { return nil }
        (self.file, self.version, self.purpose) = (file, version, purpose)
        self.places = try Self.places(file, size: size, version: version)
    }

    /// The number of exchanges.
    var count: Int { self.places.count }

    /// The bytes that an exchange takes in the journal.
    func size(of index: Int) -> Int { self.places[index].count }

    /// Reads an exchange.
    ///
    /// - Parameter index: its place in the order of the requests, from 0.
    func exchange(_ index: Int) throws -> RecordedExchange {
        let place = self.places[index]
        let bytes = try self.file.read(at: place.start, count: place.count)
        guard let exchange = JournalRecordReader.decode(bytes[...], version: self.version) else {
            throw CassetteError(path: self.file.path, "the record at byte \(place.start) is not as it was written")
        }
        return exchange
    }

    // MARK: Finding

    private static func places(_ file: FileDescriptor, size: Int, version: Int) throws -> [Place] {
        var found: [(number: Int, place: Place, replaces: Bool)] = []
        var piece: [UInt8] = []
        var pieceStart = 0
        var index = RecordingJournal.headerSize
        /// Reads a number of bytes of the file from an offset on.
        func bytes<Result>(
            at offset: Int,
            _ count: Int,
            _ body: (UnsafeRawBufferPointer) -> Result
        ) throws -> Result {
            if offset + count > pieceStart + piece.count || offset < pieceStart {
                piece = try file.read(at: offset, count: min(size - offset, max(count, Self.pieceSize)))
                pieceStart = offset
            }
            let start = offset - pieceStart
            return piece.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
        }
        while index + 8 <= size {
            let (word, checksum) = try bytes(at: index, 8) { raw in
                (
                    UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)),
                    UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                )
            }
            let count = Int(word & ~(RecordingJournal.replacesMark | RecordingJournal.voidMark))
            guard count > 0, index + 8 + count <= size else { break }
            let place = Place(start: index + 8, count: count)
            index += (8 + count + 7) & ~7
            // See ``RecordingJournal/rewrite(last:note:_:)``: its bytes may be wiped in this moment.
            guard word & RecordingJournal.voidMark == 0 else { continue }
            let number = try bytes(at: place.start, count) { payload in
                ContentCoder.checksum(payload) == checksum
                    ? JournalRecordReader.number(payload, version: version) : nil
            }
            guard let number else { break }
            found.append((number, place, word & RecordingJournal.replacesMark != 0))
        }
        var places: [Place] = []
        places.reserveCapacity(found.count)
        var last: Int?
        for index in found.indices.sorted(by: { (found[$0].number, $0) < (found[$1].number, $1) }) {
            if found[index].replaces, last == found[index].number {
                places[places.count - 1] = found[index].place
            } else {
                places.append(found[index].place)
            }
            last = found[index].number
        }
        return places
    }
}

extension RecordingJournal {
    /// A recording as its journal has it, with exchanges that are read one at a time.
    struct Recording {
        let records: JournalRecords
        /// The traits of secrets, by their numbers in the exchanges.
        var secrets: [Int: SecretTraits]
        /// The secrets that had their names when the recording began.
        let known: [SecretDescription]
        /// The variant that the recording is saved as; `nil` for a recording of the defaults.
        let variant: String?
        /// True if a request body becomes a condition only where bodies of one method and URL differ.
        let answersAnyBody: Bool
        /// The beginning of the run that it is a part of; `nil` for exchanges from elsewhere.
        let begin: Instant?
        /// The descriptors of calls that the cassette has none for; `nil` if there are no such calls.
        let descriptors: DescriptorSet?
    }
}
