import TapedeckCassettes
import TapedeckCore
import TapedeckLocking

/// A body that is sent from files, piece by piece: a whole file, or parts of several.
struct FileBody: Sendable {
    enum Part: Sendable {
        case file(BodyFile, Range<Int>)
        case memory([UInt8])

        var size: Int {
            switch self {
            case .file(_, let bytes): bytes.count
            case .memory(let bytes): bytes.count
            }
        }
    }

    let parts: [Part]
    let size: Int

    init(_ parts: [Part]) {
        self.parts = parts
        self.size = parts.reduce(0) { $0 + $1.size }
    }

    init(_ file: BodyFile) {
        self.init([.file(file, 0..<file.size)])
    }

    /// The first file.
    var file: BodyFile? {
        for case .file(let file, _) in self.parts { return file }
        return nil
    }

    /// The bytes, which are read.
    ///
    /// - Throws: as ``FileBodyReader``.
    func contents() throws -> [UInt8] {
        let reader = try FileBodyReader(self)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.size)
        while bytes.count < self.size {
            let piece = try reader.read(upTo: self.size - bytes.count)
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }
}

/// Reads a ``FileBody`` from front to back.
final class FileBodyReader: Sendable {
    private struct State {
        var part = 0
        /// The bytes of the part that were read.
        var offset = 0
        var reader: BodyFileReader?
    }

    private let body: FileBody
    // One caller at a time; the lock is what lets the compiler know.
    private let state = Locked(State())

    /// Opens the first file.
    ///
    /// - Throws: as `BodyFileReader`.
    init(_ body: FileBody) throws {
        self.body = body
        if case .file(let file, let bytes)? = body.parts.first {
            let reader = try BodyFileReader(file, from: bytes.lowerBound)
            self.state.withLock { $0.reader = reader }
        }
    }

    /// The next bytes; none at the end. Behind the last part of a file it reads on, so that a file that has grown shows.
    ///
    /// - Throws: as `BodyFileReader`.
    func read(upTo limit: Int) throws -> [UInt8] {
        try self.state.withLock { state in
            while state.part < self.body.parts.count {
                let part = self.body.parts[state.part]
                let count = min(limit, part.size - state.offset)
                if count > 0 {
                    let bytes = try Self.read(part, count, &state)
                    state.offset += bytes.count
                    return bytes
                }
                if state.part == self.body.parts.count - 1 {
                    guard case .file(let file, let bytes) = part, bytes.upperBound == file.size else { return [] }
                    return try state.reader?.read(upTo: limit) ?? []
                }
                state = State(part: state.part + 1)
            }
            return []
        }
    }

    private static func read(_ part: FileBody.Part, _ count: Int, _ state: inout State) throws -> [UInt8] {
        switch part {
        case .memory(let bytes): return Array(bytes[state.offset..<(state.offset + count)])
        case .file(let file, let bytes):
            let reader = try state.reader ?? BodyFileReader(file, from: bytes.lowerBound)
            state.reader = reader
            return try reader.read(upTo: count)
        }
    }
}
