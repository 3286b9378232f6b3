import NIOCore
import TapedeckCore
import TapedeckProtobuf

/// Notes the times of the pieces of a recorded response body: the events of an event stream, the messages of a call, and the
/// parts after a pause in other bodies of unknown length.
struct StreamPieces {
    /// The pause that begins a new piece of a body other than an event stream. 50 ms.
    private static let gap = TimeAmount.milliseconds(50)
    /// The maximum number of pieces; later bytes belong to the last one.
    private static let limit = 1_000
    /// The maximum size of an unfinished event that is held back. 256 KiB.
    private static let eventLimit = 256 << 10
    /// The maximum size of an unfinished message that is held back. 8 MiB.
    private static let messageLimit = 8 << 20

    private let isEvents: Bool
    /// Finds the messages of a call; `nil` for any other body.
    private var messages: MessageCounter?
    private let start: NIODeadline
    private var lastRead: NIODeadline
    private var scanner = EventScanner()
    private var pieces: [RecordedPiece] = []
    /// The number of received body bytes.
    private var size = 0
    /// The start of the current piece, and the time of its first byte, in milliseconds.
    private var pieceStart = 0
    private var pieceTime = 0
    /// An event or a message that has not ended.
    private var held: [ByteBuffer] = []
    private var heldSize = 0
    /// The end of the last whole event or message.
    private var wholeEnd = 0

    /// - Parameters:
    ///   - fields: the response's header fields.
    ///   - isOpen: the head does not say how long the body is.
    ///   - start: when its head came.
    /// - Returns: `nil` for a body that comes in no pieces that count.
    init?(fields: [HeaderField], isOpen: Bool, at start: NIODeadline) {
        self.isEvents = BodyPieces.areEvents(fields)
        if MessageFraming(fields)?.isStream ?? false { self.messages = MessageCounter() }
        // A body with a length is slow only because of the network, which differs each time.
        guard self.isEvents || isOpen && !BodyPieces.isCoded(fields) else { return nil }
        self.start = start
        self.lastRead = start
    }

    /// Adds the next bytes of the body; returns those that can be written down: whole events or messages, or parts of one
    /// that is too large to wait for.
    mutating func take(_ bytes: ByteBuffer, at time: NIODeadline) -> [ByteBuffer] {
        guard bytes.readableBytes > 0 else { return [] }
        let now = Int((time - self.start).nanoseconds / 1_000_000)
        defer {
            self.lastRead = time
            self.size += bytes.readableBytes
        }
        if self.messages != nil {
            if self.size == self.pieceStart { self.pieceTime = now }
            let ends = bytes.withUnsafeReadableBytes { self.messages?.take($0) ?? [] }
            for end in ends { self.endPiece(at: end, next: now) }
            self.wholeEnd = ends.last ?? self.wholeEnd
            return self.whole(bytes)
        }
        guard self.isEvents else {
            if self.size == 0 {
                self.pieceTime = now
            } else if time - self.lastRead >= Self.gap {
                self.endPiece(at: self.size, next: now)
            }
            return [bytes]
        }
        if self.size == self.pieceStart { self.pieceTime = now }
        for end in bytes.withUnsafeReadableBytes({ self.scanner.scan($0) }) { self.endPiece(at: end, next: now) }
        self.wholeEnd = self.scanner.wholeEnd
        return self.whole(bytes)
    }

    private mutating func endPiece(at end: Int, next time: Int) {
        if self.pieces.count < Self.limit {
            self.pieces.append(RecordedPiece(size: end - self.pieceStart, time: self.pieceTime))
        } else {
            self.pieces[self.pieces.count - 1].size += end - self.pieceStart
        }
        self.pieceStart = end
        self.pieceTime = time
    }

    /// Keeps the bytes after the last whole event or message.
    private mutating func whole(_ bytes: ByteBuffer) -> [ByteBuffer] {
        self.held.append(bytes)
        self.heldSize += bytes.readableBytes
        let unfinished = self.size + bytes.readableBytes - self.wholeEnd
        if unfinished > (self.isEvents ? Self.eventLimit : Self.messageLimit) { return self.release() }
        guard unfinished < self.heldSize else { return [] }
        var rest = self.release()
        guard unfinished > 0 else { return rest }
        let all = rest.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1) }
        let count = all.readableBytes - unfinished
        rest = all.getSlice(at: all.readerIndex, length: count).map { [$0] } ?? []
        if let slice = all.getSlice(at: all.readerIndex + count, length: unfinished) {
            self.held = [slice]
            self.heldSize = unfinished
        }
        return rest
    }

    private mutating func release() -> [ByteBuffer] {
        defer {
            self.held = []
            self.heldSize = 0
        }
        return self.held
    }

    // MARK: End

    /// The body has ended. Returns what was held back of it, and its pieces: none for a body that came as one, unless it
    /// is an event stream.
    mutating func finish() -> (rest: [ByteBuffer], pieces: [RecordedPiece]) {
        if self.size > self.pieceStart { self.endPiece(at: self.size, next: 0) }
        let counts = self.isEvents || self.pieces.count > 1 && !self.comeAtOnce
        return (self.release(), counts ? self.pieces : [])
    }

    /// True if the messages of a call came without a pause.
    private var comeAtOnce: Bool {
        guard self.messages != nil else { return false }
        return zip(self.pieces, self.pieces.dropFirst()).allSatisfy { piece, next in
            TimeAmount.milliseconds(Int64(next.time - piece.time)) < Self.gap
        }
    }

    /// True if there are whole events of an event stream, or it is a call, and nothing after the last event or message has
    /// been written down.
    var canEndEarly: Bool {
        (self.isEvents && self.wholeEnd > 0 || self.messages != nil) && self.size - self.heldSize <= self.wholeEnd
    }

    /// Ends the body because the client left in the middle of it. Returns the pieces to keep: the whole events of a
    /// stream, which may have no end, or messages of a call; `nil` for any other body. The recorded body ends with them.
    mutating func finishEarly() -> [RecordedPiece]? {
        guard self.canEndEarly else { return nil }
        if self.wholeEnd > self.pieceStart { self.endPiece(at: self.wholeEnd, next: 0) }
        return self.isEvents || self.pieces.count > 1 && !self.comeAtOnce ? self.pieces : []
    }
}
