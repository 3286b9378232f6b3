import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction

/// A body on its way into a recording: small ones in memory, larger ones in a file of the journal's folder. The
/// recorder's own thread writes the file, in order, and a writer that is too far ahead pauses.
///
/// A body that is text goes to no file, because it has not been searched for secrets yet: it stays in memory up to the
/// search limit, and beyond that is not recorded.
final class CapturedBody {
    /// This much may wait for the file before ``isBehind`` says stop.
    private static let waitingLimit = 4 << 20

    /// The message that it is the body of, in the name of its file.
    enum Message: String {
        case request
        case response
    }

    private let recorder: Recorder
    private let message: Message
    /// The number of its exchange.
    private let number: Int
    private let eventLoop: any EventLoop
    private var pieces: [ByteBuffer] = []
    private var size = 0
    private var file: SpilledBody?
    private var waiting = 0
    /// The write of the last piece, which fails if one before it did; `nil` before the first.
    private var lastWrite: EventLoopFuture<Void>?
    /// Its header fields; set before its first byte.
    var headers: [HeaderField] = []
    /// True if it is searched for secrets; `nil` until it is large enough to matter.
    private var isSearched: Bool?
    /// The reason why it is not recorded. Nothing of it is kept then.
    private(set) var failure: (any Error)?
    /// The disk space that it uses.
    private var taken = 0
    /// Called when ``isBehind`` turns false.
    var onCapacity: (() -> Void)?

    init(_ message: Message, of number: Int, recorder: Recorder, eventLoop: any EventLoop) {
        self.message = message
        self.number = number
        self.recorder = recorder
        self.eventLoop = eventLoop
    }

    /// The name of its file in the journal's folder.
    private var name: String { "\(self.message.rawValue)-\(self.number)" }

    private var redactor: Redactor { self.recorder.redactor }
    private var disk: RecordingDisk { self.recorder.disk }
    private var thread: NIOThreadPool { self.recorder.fileThread }

    /// True if writing is behind. A failed body does not delay anything.
    var isBehind: Bool { self.failure == nil && self.waiting > Self.waitingLimit }

    func append(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0, self.failure == nil else { return }
        self.size += bytes.readableBytes
        if self.file != nil {
            self.writeToFile(bytes)
            return
        }
        self.pieces.append(bytes)
        guard self.size > self.recorder.bodyMemory, self.goesToFile() else { return }
        self.file = SpilledBody(path: self.recorder.journal.bodyPath(self.name), disk: self.disk)
        let pieces = self.pieces
        self.pieces = []
        for piece in pieces { self.writeToFile(piece) }
    }

    /// Returns true if a body beyond the memory limit may continue in a file.
    private func goesToFile() -> Bool {
        let isSearched = self.isSearched ?? self.redactor.searches(headers: self.headers, start: self.start)
        self.isSearched = isSearched
        guard isSearched else { return true }
        guard self.size > self.redactor.bodyLimit else { return false }
        if self.redactor.allowsUnscanned { return true }
        self.pieces = []
        self.failure = RedactionFailure(.tooLarge(limit: self.redactor.bodyLimit))
        return false
    }

    /// Enough of the body to tell what it is.
    private var start: [UInt8] {
        var start: [UInt8] = []
        for piece in self.pieces where start.count < Self.startSize {
            start += piece.readableBytesView.prefix(Self.startSize - start.count)
        }
        return start
    }

    private static let startSize = 16 << 10

    /// The body, once all of it is where it belongs. Small ones are there at once, so the result is too.
    func finish(_ completion: @escaping (Result<RecordedBody, any Error>) -> Void) {
        if let failure = self.failure {
            completion(.failure(failure))
            return
        }
        guard let file = self.file else {
            var all: [UInt8] = []
            all.reserveCapacity(self.size)
            for piece in self.pieces { all.append(contentsOf: piece.readableBytesView) }
            completion(.success(.bytes(all)))
            return
        }
        let name = self.name
        (self.lastWrite ?? self.eventLoop.makeSucceededVoidFuture())
            .flatMap { [thread, eventLoop] in thread.runIfActive(eventLoop: eventLoop) { file.finish() } }
            .map { RecordedBody.file(name: name, size: $0.size, sha256: $0.sha256) }
            .assumeIsolated()
            .whenComplete(completion)
    }

    /// The exchange is not recorded after all.
    func discard() {
        self.onCapacity = nil
        self.discardFile()
    }

    private func discardFile() {
        self.pieces = []
        guard let file = self.file else { return }
        self.disk.give(self.taken)
        self.taken = 0
        self.lastWrite?.whenComplete { [thread, eventLoop] _ in
            _ = thread.runIfActive(eventLoop: eventLoop) { file.discard() }
        }
    }

    /// Gives up the recording of this body while the exchange continues: waits for its file end.
    func giveUp(_ failure: any Error) {
        guard self.failure == nil else { return }
        let wasBehind = self.isBehind
        self.failure = failure
        self.discardFile()
        if wasBehind { self.onCapacity?() }
    }

    private func writeToFile(_ bytes: ByteBuffer) {
        guard let file = self.file, self.failure == nil else { return }
        let count = bytes.readableBytes
        do throws(DiskProblem) {
            try self.disk.take(count)
        } catch {
            self.giveUp(self.recorder.stop(error))
            return
        }
        self.taken += count
        self.waiting += count
        // One thread works in order, so the pieces need no chain; a failed one fails the last.
        let write = self.thread.runIfActive(eventLoop: self.eventLoop) {
            try bytes.withUnsafeReadableBytes { try file.write($0) }
        }
        self.lastWrite = self.lastWrite.map { $0.and(write).map { _ in } } ?? write
        write.assumeIsolated().whenComplete { result in
            let wasBehind = self.isBehind
            self.waiting -= count
            if wasBehind, !self.isBehind { self.onCapacity?() }
            if case .failure(let error) = result { self.giveUp(self.recorder.stop(error)) }
        }
    }
}
