package import NIOCore
package import TapedeckCore

/// Removes the framing of a message body (RFC 9112 sections 6 and 7), piece by piece as bytes arrive.
package struct BodyDecoder: Sendable {
    /// A part of a body.
    package enum Piece: Sendable, Equatable {
        case bytes(ByteBuffer)
        /// The body is complete; a chunked one may have trailer fields.
        case end(trailers: [HeaderField])
    }

    private enum State {
        case length(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case finished
    }

    private var state: State
    private var fields = FieldSection()
    private var takesBareLineFeed = false

    private init(_ state: State) {
        self.state = state
    }

    /// No body: the end comes at once.
    package static let none = BodyDecoder(.length(0))
    package static let untilClose = BodyDecoder(.untilClose)
    package static let chunked = BodyDecoder(.chunkSize)
    /// Chunks whose lines may end with a line feed alone; see ``FieldSection/scan(_:from:takesBareLineFeed:)``.
    package static let looselyChunked = {
        var decoder = Self.chunked
        decoder.takesBareLineFeed = true
        return decoder
    }()

    package static func length(_ length: Int) -> BodyDecoder {
        BodyDecoder(.length(length))
    }

    /// True if only the end is still to come and needs no more bytes.
    package var endsNow: Bool {
        if case .length(0) = self.state { true } else { false }
    }

    /// True if only the closing of the connection ends the body.
    package var endsAtClose: Bool {
        if case .untilClose = self.state { true } else { false }
    }

    package var isFinished: Bool {
        if case .finished = self.state { true } else { false }
    }

    /// The next piece of the body in `buffer`, or `nil` when more bytes are needed.
    ///
    /// - Throws: ``MalformedMessage`` for chunks that break the grammar.
    package mutating func next(_ buffer: inout ByteBuffer) throws(MalformedMessage) -> Piece? {
        while true {
            switch self.state {
            case .length(0):
                self.state = .finished
                return .end(trailers: [])
            case .length(let remaining):
                guard let bytes = Self.read(upTo: remaining, from: &buffer) else { return nil }
                self.state = .length(remaining - bytes.readableBytes)
                return .bytes(bytes)
            case .untilClose:
                return Self.read(upTo: .max, from: &buffer).map(Piece.bytes)
            case .chunkSize:
                guard let size = try self.readChunkSize(&buffer) else { return nil }
                self.state = size == 0 ? .trailers : .chunk(size)
            case .chunk(let remaining):
                guard let bytes = Self.read(upTo: remaining, from: &buffer) else { return nil }
                let left = remaining - bytes.readableBytes
                self.state = left == 0 ? .chunkEnd : .chunk(left)
                return .bytes(bytes)
            case .chunkEnd:
                if self.takesBareLineFeed, buffer.readableBytesView.first == ASCII.lineFeed {
                    buffer.moveReaderIndex(forwardBy: 1)
                    self.state = .chunkSize
                    continue
                }
                guard buffer.readableBytes >= 2 else {
                    if let byte = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
                        byte != ASCII.carriageReturn
                    {
                        throw MalformedMessage("a chunk does not end with CR LF")
                    }
                    return nil
                }
                guard buffer.readInteger(as: UInt16.self) == 0x0D0A else {
                    throw MalformedMessage("a chunk does not end with CR LF")
                }
                self.state = .chunkSize
            case .trailers:
                guard let trailers = try self.readTrailers(&buffer) else { return nil }
                self.state = .finished
                return .end(trailers: trailers)
            case .finished:
                return nil
            }
        }
    }

    /// Called when the connection has ended: the body is complete, or it was cut off.
    package mutating func finishAtClose() -> Piece? {
        guard self.endsAtClose else { return nil }
        self.state = .finished
        return .end(trailers: [])
    }

    private static func read(upTo limit: Int, from buffer: inout ByteBuffer) -> ByteBuffer? {
        buffer.readableBytes == 0 ? nil : buffer.readSlice(length: min(limit, buffer.readableBytes))
    }

    /// `chunk-size [ chunk-ext ] CRLF` (RFC 9112 section 7.1); extensions are skipped, as a recipient may.
    private func readChunkSize(_ buffer: inout ByteBuffer) throws(MalformedMessage) -> Int? {
        let view = buffer.readableBytesView
        var size = 0
        var digits = 0
        var index = view.startIndex
        while index < view.endIndex, let value = ASCII.hexValue(view[index]) {
            digits += 1
            // Fifteen digits keep the sum within an Int.
            guard digits <= 15 else { throw MalformedMessage("a chunk size is too large") }
            size = size << 4 | Int(value)
            index += 1
        }
        guard index < view.endIndex else { return nil }
        guard digits > 0 else { throw MalformedMessage("a chunk has no valid size") }
        let endsBare = { (index: Int) in
            self.takesBareLineFeed && index < view.endIndex && view[index] == ASCII.lineFeed
        }
        if view[index] != ASCII.carriageReturn, !endsBare(index) {
            guard [ASCII.semicolon, ASCII.space, ASCII.tab].contains(view[index]) else {
                throw MalformedMessage("a chunk has no valid size")
            }
            while index < view.endIndex, view[index] >= ASCII.space || view[index] == ASCII.tab { index += 1 }
            guard index - view.startIndex <= MessageLimits.chunkLine else {
                throw MalformedMessage("a chunk extension is too long")
            }
        }
        if endsBare(index) {
            buffer.moveReaderIndex(to: index + 1)
            return size
        }
        guard index + 1 < view.endIndex else {
            guard index == view.endIndex || view[index] == ASCII.carriageReturn else {
                throw MalformedMessage("a chunk size does not end with CR LF")
            }
            return nil
        }
        guard view[index] == ASCII.carriageReturn, view[index + 1] == ASCII.lineFeed else {
            throw MalformedMessage("a chunk size does not end with CR LF")
        }
        buffer.moveReaderIndex(to: index + 2)
        return size
    }

    private mutating func readTrailers(_ buffer: inout ByteBuffer) throws(MalformedMessage) -> [HeaderField]? {
        var fields = self.fields
        let result = buffer.withUnsafeReadableBytes {
            bytes -> (length: Int, fields: [HeaderField]?, problem: MalformedMessage?) in
            switch fields.scan(bytes, from: 0, takesBareLineFeed: self.takesBareLineFeed) {
            case .incomplete: (0, nil, nil)
            case .malformed(let problem): (0, nil, problem)
            case .complete(let end): (end, fields.fields(bytes), nil)
            }
        }
        if let problem = result.problem { throw problem }
        guard max(result.length, result.fields == nil ? buffer.readableBytes : 0) <= MessageLimits.trailers else {
            throw MalformedMessage("the trailers are larger than \(MessageLimits.trailers) bytes", status: 431)
        }
        guard let trailers = result.fields else { return nil }
        buffer.moveReaderIndex(forwardBy: result.length)
        return trailers
    }
}
