import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction

/// A body on its way into a recording: in memory while it is small, in a file of the journal's folder once it is not.
/// The file is written by the recorder's own thread, in order, and a writer that is too far ahead of it is told so.
///
/// A body that is text goes to no file, since nobody has searched it for secrets yet: it stays in memory up to the limit
/// of that search, and beyond is given up.
final class CapturedBody {
    /// This much may wait for the file before ``isBehind`` says stop.
    private static let waitingLimit = 4 << 20

    private let path: String
    private let name: String
    private let memoryLimit: Int
    private let redactor: Redactor
    private let thread: NIOThreadPool
    private let eventLoop: any EventLoop
    private let disk: RecordingDisk
    /// Ends the recording for a reason, and returns what is to be told of it.
    private let stopRecording: (any Error) -> RecordingStopped
    private var pieces: [ByteBuffer] = []
    private var size = 0
    private var file: SpilledBody?
    private var waiting = 0
    private var writes: [EventLoopFuture<Void>] = []
    private var lastWrite: EventLoopFuture<Void>
    /// Its header fields; set before its first byte.
    var headers: [HeaderField] = []
    /// True if it is searched for secrets; `nil` until it is large enough to matter.
    private var isSearched: Bool?
    /// Why it is not recorded, if so. Nothing of it is kept then.
    private(set) var failure: (any Error)?
    /// How much of the disk it has taken.
    private var taken = 0
    /// Called when ``isBehind`` turns false.
    var onCapacity: (() -> Void)?

    init(
        path: String,
        name: String,
        memoryLimit: Int,
        redactor: Redactor,
        thread: NIOThreadPool,
        eventLoop: any EventLoop,
        disk: RecordingDisk,
        stopRecording: @escaping (any Error) -> RecordingStopped
    ) {
        self.path = path
        self.name = name
        self.memoryLimit = memoryLimit
        self.redactor = redactor
        self.thread = thread
        self.eventLoop = eventLoop
        self.disk = disk
        self.stopRecording = stopRecording
        self.lastWrite = eventLoop.makeSucceededVoidFuture()
    }

    /// True if writing is behind. A failed body makes nobody wait.
    var isBehind: Bool { self.failure == nil && self.waiting > Self.waitingLimit }

    func append(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0, self.failure == nil else { return }
        self.size += bytes.readableBytes
        if self.file != nil {
            self.writeToFile(bytes)
            return
        }
        self.pieces.append(bytes)
        guard self.size > self.memoryLimit, self.goesToFile() else { return }
        self.file = SpilledBody(path: self.path, disk: self.disk)
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
        self.lastWrite
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
        self.lastWrite.whenComplete { [thread, eventLoop] _ in
            _ = thread.runIfActive(eventLoop: eventLoop) { file.discard() }
        }
    }

    /// It is not to be recorded, while the exchange goes on: whoever waited for its file waits no longer.
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
            self.giveUp(self.stopRecording(error))
            return
        }
        self.taken += count
        self.waiting += count
        // One thread takes its work in order, so the pieces need no chain of their own; a failed one fails the last.
        let write = self.thread.runIfActive(eventLoop: self.eventLoop) {
            try bytes.withUnsafeReadableBytes { try file.write($0) }
        }
        self.lastWrite = self.lastWrite.and(write).map { _ in }
        write.assumeIsolated().whenComplete { result in
            let wasBehind = self.isBehind
            self.waiting -= count
            if wasBehind, !self.isBehind { self.onCapacity?() }
            if case .failure(let error) = result { self.giveUp(self.stopRecording(error)) }
        }
    }
}
