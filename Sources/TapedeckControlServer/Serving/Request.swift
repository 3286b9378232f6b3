import NIOCore
import TapedeckCore
import TapedeckLocking
import TapedeckSessions

/// A request to the control API.
struct Request: Sendable {
    let method: String
    /// The target before the question mark, as it was sent.
    let path: String
    /// The target behind the question mark, as it was sent.
    let query: String
    let fields: [HeaderField]
    let body: RequestBody

    /// The value of a header field; several of one name make a list (RFC 9110 section 5.3).
    subscript(name: String) -> String? {
        let values = self.fields.lazy.filter { $0.isNamed(name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The `Host`; `nil` if it is missing or repeated.
    var host: String? {
        let hosts = self.fields.lazy.filter { $0.isNamed("host") }.prefix(2)
        return hosts.count == 1 ? hosts.first?.value : nil
    }

    /// Does work that is cancelled when the client closes its side of the connection.
    func whileClientWaits<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let closing = self.body.closing
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                await closing.wait(after: .max)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            return result
        }
    }
}

/// The body of a request, piece by piece as it comes. It can be read once.
final class RequestBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The client went away, or its framing is wrong.
    struct Interrupted: Error {}

    private struct State {
        var pieces: [ByteBuffer] = []
        var bytes = 0
        var isEnded = false
        var isInterrupted = false
        /// True if the rest is dropped.
        var isDropped = false
        var wasAsked = false
        var reader: CheckedContinuation<ByteBuffer?, any Error>?
    }

    /// Bytes that wait for their reader before no more are read from the connection. 1 MiB.
    private static let limit = 1 << 20

    private let state = Locked(State())
    /// Closed with the client's side of the connection.
    let closing = ChangeSignal()
    /// Called when the first piece is asked for, and when there is room for more.
    private let readOn: @Sendable (_ isFirst: Bool) -> Void

    init(readOn: @escaping @Sendable (_ isFirst: Bool) -> Void) {
        self.readOn = readOn
    }

    // MARK: The connection

    /// True if no more is to be read for now.
    var isFull: Bool { self.state.withLock { $0.bytes >= Self.limit } }

    func receive(_ piece: ByteBuffer) {
        let reader = self.state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            guard !state.isDropped else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.pieces.append(piece)
            state.bytes += piece.readableBytes
            return nil
        }
        reader?.resume(returning: piece)
    }

    func end() {
        let reader = self.state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    func interrupt() {
        let reader = self.state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            guard !state.isEnded else { return nil }
            state.isInterrupted = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(throwing: Interrupted())
    }

    /// The rest is read from the connection, and dropped.
    func drop() {
        self.state.withLock { state in
            state.isDropped = true
            state.pieces = []
            state.bytes = 0
        }
    }

    // MARK: The reader

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody

        func next() async throws -> ByteBuffer? { try await self.body.next() }
    }

    private enum Step {
        case piece(ByteBuffer, wasFull: Bool)
        case end
        case interrupted
        case wait
    }

    private func next() async throws -> ByteBuffer? {
        let isFirst = self.state.withLock { state in
            defer { state.wasAsked = true }
            return !state.wasAsked && !state.isEnded
        }
        if isFirst { self.readOn(true) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let step = self.state.withLock { state -> Step in
                    if !state.pieces.isEmpty {
                        let wasFull = state.bytes >= Self.limit
                        let piece = state.pieces.removeFirst()
                        state.bytes -= piece.readableBytes
                        return .piece(piece, wasFull: wasFull)
                    }
                    if state.isEnded { return .end }
                    if state.isInterrupted { return .interrupted }
                    state.reader = reader
                    return .wait
                }
                switch step {
                case .piece(let piece, let wasFull):
                    if wasFull { self.readOn(false) }
                    reader.resume(returning: piece)
                case .end: reader.resume(returning: nil)
                case .interrupted: reader.resume(throwing: Interrupted())
                case .wait: break
                }
            }
        } onCancel: {
            self.interrupt()
        }
    }
}
