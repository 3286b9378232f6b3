import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// Some of the takes of a new cassette, to be made into text that is read back.
struct CassettePiece: Sendable {
    private struct Part: Sendable {
        var take: Take
        /// The lines of its set in front of the takes.
        var start: [UInt8]
        /// True for the first take of its set.
        var isFirst: Bool
    }

    /// A piece that has become text.
    struct Done: Sendable {
        var text: [UInt8]
        var read: CassetteReader.Result
        /// True if live text that looks like a placeholder is escaped in it.
        var hasEscapes: Bool
    }

    private let location: CassetteLocation
    private let head: [UInt8]
    private let column: Int
    private var parts: [Part] = []
    /// About the number of bytes of its text.
    private(set) var size = 0

    /// - Parameters:
    ///   - head: the beginning of a cassette that has only sets, and the descriptors that these need.
    ///   - column: that of the dashes of takes.
    init(_ location: CassetteLocation, head: [UInt8], column: Int) {
        self.location = location
        self.head = head
        self.column = column
    }

    var isEmpty: Bool { self.parts.isEmpty }

    mutating func append(_ take: Take, start: [UInt8], isFirst: Bool) {
        self.parts.append(Part(take: take, start: start, isFirst: isFirst))
        // The rest of a take is about as long.
        self.size += 512 + (isFirst ? start.count : 0)
        for fields in [take.headers, take.trailers, take.request?.headers ?? []] {
            for field in fields { self.size += field.name.utf8.count + field.value.utf8.count }
        }
        for case .inline(let body) in [take.body, take.request?.body ?? .none] { self.size += body.size }
    }

    mutating func removeAll() {
        self.parts.removeAll(keepingCapacity: true)
        self.size = 0
    }

    /// Makes the text, and reads it.
    private func make() -> Done {
        var text: [UInt8] = []
        text.reserveCapacity(self.size * 5 / 4)
        for part in self.parts {
            if part.isFirst { text += part.start }
            text += CassetteWriter.items([part.take], indent: self.column)
        }
        // As a complete cassette. The first takes of its first set may be in the piece before.
        let start = self.parts.first.map { $0.isFirst ? [] : $0.start } ?? []
        let whole = self.head + start + text
        return Done(
            text: text,
            read: CassetteReader.read(whole, name: self.location.name, path: self.location.path),
            hasEscapes: whole.withUnsafeBytes { !PlaceholderEscape.places(in: $0, onlyEscaped: true).isEmpty }
        )
    }

    // MARK: On another thread

    /// A piece that another thread makes.
    struct Running {
        fileprivate let thread: SystemThread?
        fileprivate let done: Locked<Done?>
        fileprivate let piece: CassettePiece

        /// Waits for the thread. Either this or ``result()`` is to be called, once.
        func wait() {
            self.thread?.join()
        }

        /// Waits for the thread, and returns what it made.
        func result() -> Done {
            self.wait()
            return self.done.withLock { $0.take() } ?? self.piece.make()
        }
    }

    /// Makes it on a thread of its own; where the system has none left, when the result is wanted.
    func start() -> Running {
        let done = Locked<Done?>(nil)
        let piece = self
        let thread = try? SystemThread {
            let made = piece.make()
            done.withLock { $0 = made }
        }
        return Running(thread: thread, done: done, piece: piece)
    }
}
