import Logging
package import NIOCore
import NIOPosix
import Synchronization
package import TapedeckCassettes
package import TapedeckCore
package import TapedeckHTTP1
import TapedeckLocking
package import TapedeckRedaction

/// Takes finished exchanges into the journal of a recording, without the secrets in them.
///
/// An exchange is appended by copying it into memory that the kernel writes to the file in its own time: no client
/// waits for a disk, and a kill of the process loses nothing. Only bodies beyond
/// ``ProxyConfiguration/recordedBodyMemory`` that are no text go to files of their own, on a thread that does nothing
/// else but search exchanges with much text in them.
package final class Recorder: Sendable {
    package let journal: RecordingJournal
    package let redactor: Redactor
    private let fileThread: NIOThreadPool
    private let bodyMemory: Int
    private let session: String
    /// The disk space of the recording.
    let disk: RecordingDisk
    /// How many secrets were known when each exchange was searched, by its number.
    private let searched = Locked<[Int: Int]>([:])
    private let lookingBack = Locked(LookingBack())
    private let unsearchedLines = Locked<(count: Int, lines: [String])>((0, []))
    private let sequence = Atomic<Int>(0)
    private let recordedCount = Atomic<Int>(0)
    private let problem = Locked<RecordingStopped?>(nil)
    /// True if there is a problem; outside of the lock, because each exchange reads it.
    private let hasStopped = Atomic<Bool>(false)
    /// Exchanges that are complete, but not in the journal yet because a body file is being finished.
    private let finishing = Locked(Finishing())

    private struct Finishing {
        var count = 0
        /// Nothing more is taken.
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let log: Logger
    private let counts: RecordingCounts

    /// - Parameters:
    ///   - bodyMemory: in bytes; see ``ProxyConfiguration/recordedBodyMemory``.
    ///   - session: the id of the session that records.
    init(
        journal: RecordingJournal,
        redactor: Redactor,
        bodyMemory: Int,
        session: String,
        disk: RecordingDisk,
        log: Logger,
        counts: RecordingCounts = RecordingCounts()
    ) {
        self.session = session
        self.disk = disk
        self.counts = counts
        self.journal = journal
        self.redactor = redactor
        self.bodyMemory = bodyMemory
        self.log = log
        self.fileThread = NIOThreadPool(numberOfThreads: 1)
        self.fileThread.start()
    }

    /// How many exchanges are in the journal.
    package var recorded: Int { self.recordedCount.load(ordering: .relaxed) }

    /// The reason why it records no more, if any.
    package var failure: String? { self.problem.withLock { $0?.description } }

    /// Why an exchange is not recorded that was under way when the recording ended.
    package static let stoppedEarly = "the recording was stopped before the response was complete"

    /// The recording of one exchange; `nil` once recording has failed or ended.
    package func begin(_ head: RequestHead, on eventLoop: any EventLoop) -> ExchangeRecording? {
        guard self.failure == nil, !self.finishing.withLock({ $0.isClosed }) else { return nil }
        let number = self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
        return ExchangeRecording(recorder: self, number: number, head: head, eventLoop: eventLoop)
    }

    func makeBody(_ label: String, on eventLoop: any EventLoop) -> CapturedBody {
        CapturedBody(
            path: self.journal.bodyPath(label),
            name: label,
            memoryLimit: self.bodyMemory,
            redactor: self.redactor,
            thread: self.fileThread,
            eventLoop: eventLoop,
            disk: self.disk,
            stopRecording: { self.stop($0) }
        )
    }

    /// Text up to this size is searched at once, on the event loop. 64 KiB.
    private static let quickLimit = 64 << 10

    /// Takes the secrets out of a finished exchange and appends it. One that cannot be redacted is not written, and its
    /// body files go.
    ///
    /// - Parameter completion: gets why it is not in the journal, or `nil`; called at once unless there is much to search.
    func appendRedacted(
        _ exchange: RecordedExchange,
        on eventLoop: any EventLoop,
        completion: @escaping (String?) -> Void
    ) {
        if exchange.textSize <= Self.quickLimit {
            let result = Result { () throws(RedactionFailure) in try self.redacted(exchange) }
            if case .success(let redacted) = result {
                completion(self.append(redacted))
                return
            }
        }
        // A failed file fails again there, where it can be deleted.
        self.fileThread.runIfActive(eventLoop: eventLoop) {
            do throws(RedactionFailure) {
                return self.append(try self.redacted(exchange))
            } catch {
                self.removeFiles(of: exchange)
                return "\(error)"
            }
        }
        .assumeIsolated()
        .whenComplete { result in
            switch result {
            case .success(let problem): completion(problem)
            case .failure(let error): completion(self.stop(error).description)
            }
        }
    }

    private func redacted(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        let known = self.redactor.vault.count
        let redacted = try exchange.redacted(by: self.redactor)
        self.searched.withLock { $0[exchange.number] = known }
        return redacted
    }

    /// Searches an exchange of the journal once more if secrets were learnt since it was appended.
    package func searchAgain(_ exchange: RecordedExchange) -> RecordedExchange {
        let known = self.searched.withLock { $0[exchange.number] } ?? 0
        guard known < self.redactor.vault.count else { return exchange }
        let redacted = exchange.searchedAgain(by: self.redactor)
        // A run of base64 with a secret in it is one of its own. Without its shape it plays as a token.
        try? self.journal.noteSecrets(in: redacted) { self.redactor.vault.shape($0).text }
        return redacted
    }

    // MARK: Looking back

    private struct LookingBack {
        /// So many secrets were known when the journal was looked through last.
        var known = 0
        var isUnderWay = false
    }

    /// How far back the journal is looked through for a secret that was learnt later. In bytes, 16 MiB; the rest is
    /// searched when the cassette is written.
    private static let lookBackLimit = 16 << 20

    /// Has the journal looked through for secrets that were learnt since: a token may have stood in a path before an
    /// answer said that it is one. Done on the recorder's own thread, as soon as that is free.
    private func lookBack() {
        let known = self.redactor.vault.count
        let isDue = self.lookingBack.withLock { state in
            guard known > state.known, !state.isUnderWay else { return false }
            state.isUnderWay = true
            return true
        }
        guard isDue else { return }
        self.fileThread.submit { state in
            guard case .active = state else { return }
            self.lookThrough()
        }
    }

    private func lookThrough() {
        while true {
            let known = self.redactor.vault.count
            do {
                try self.journal.rewrite(last: Self.lookBackLimit, note: self.disk.add) { exchange in
                    let redacted = self.searchAgain(exchange)
                    self.searched.withLock { $0[exchange.number] = known }
                    return redacted == exchange ? nil : redacted
                }
            } catch {
                // The rest is searched when the cassette is written.
                self.log.warning("the journal could not be searched again", metadata: ["reason": "\(error)"])
            }
            let isDone = self.lookingBack.withLock { state in
                state.known = known
                state.isUnderWay = known < self.redactor.vault.count
                return !state.isUnderWay
            }
            if isDone { return }
        }
    }

    // MARK: Unsearched bodies

    /// So many requests with bodies that were not searched are told by name.
    private static let toldUnsearched = 5

    /// The requests whose bodies were recorded although they are too large to be searched for secrets: how many, and the
    /// first five.
    package var unsearched: (count: Int, lines: [String]) { self.unsearchedLines.withLock { $0 } }

    /// Notes an exchange whose bodies are larger than is searched.
    private func noteUnsearched(_ exchange: RecordedExchange) {
        let limit = self.redactor.bodyLimit
        let isLarge = [
            (exchange.requestBody, exchange.requestHeaders), (exchange.response.body, exchange.response.headers),
        ].contains { body, headers in
            switch body {
            case .bytes(let bytes):
                bytes.count > limit && self.redactor.searches(headers: headers, start: bytes.prefix(16 << 10))
            case .file(_, let size, _): size > limit && self.redactor.searches(headers: headers, start: [])
            }
        }
        guard isLarge else { return }
        let line = "\(exchange.method) \(self.redactor.text(exchange.url))"
        self.unsearchedLines.withLock { told in
            told.count += 1
            if told.lines.count < Self.toldUnsearched { told.lines.append(line) }
        }
    }

    private func removeFiles(of exchange: RecordedExchange) {
        for case .file(let name, let size, _) in [exchange.requestBody, exchange.response.body] {
            self.disk.give(size)
            // A file that stays is in the journal's folder, and goes with that.
            try? FileContents.remove(self.journal.bodyPath(name))
        }
    }

    /// Looks for room on the disk now and then.
    private func checkRoom() {
        guard self.disk.isCheckDue else { return }
        self.fileThread.submit { state in
            guard case .active = state else { return }
            do throws(DiskProblem) {
                try self.disk.checkRoom()
            } catch {
                _ = self.stop(error)
            }
        }
    }

    /// Appends a finished exchange without secrets in it; returns why it could not, if so.
    func append(_ exchange: RecordedExchange) -> String? {
        do {
            if self.hasStopped.load(ordering: .relaxed), let problem = self.problem.withLock({ $0 }) { throw problem }
            try self.journal.noteSecrets(in: exchange) { self.redactor.vault.shape($0).text }
            try self.journal.append(exchange) { try self.disk.take($0) }
            self.recordedCount.wrappingAdd(1, ordering: .relaxed)
            if self.redactor.allowsUnscanned { self.noteUnsearched(exchange) }
            self.lookBack()
            self.checkRoom()
            return nil
        } catch {
            // Nothing names its files now.
            self.fileThread.submit { _ in self.removeFiles(of: exchange) }
            return self.stop(error).description
        }
    }

    /// Recording ends here; what is in the journal stays.
    func stop(_ error: any Error) -> RecordingStopped {
        let text = "the recording of session \(self.session) is stopped: \(DiskProblem(error))"
        let stopped = error as? RecordingStopped ?? RecordingStopped(description: text)
        let (first, isFirst) = self.problem.withLock { problem in
            if let problem { return (problem, false) }
            problem = stopped
            return (stopped, true)
        }
        if isFirst {
            self.counts.noteFailure()
            self.hasStopped.store(true, ordering: .relaxed)
            self.log.error("\(first)")
        }
        return first
    }

    /// An exchange is complete and on its way into the journal, which ``close()`` waits for; `false` when the journal
    /// takes no more, as it may be saved already.
    func startFinishing() -> Bool {
        self.finishing.withLock { finishing in
            guard !finishing.isClosed else { return false }
            finishing.count += 1
            return true
        }
    }

    func endFinishing() {
        let waiters = self.finishing.withLock { finishing -> [CheckedContinuation<Void, Never>] in
            finishing.count -= 1
            guard finishing.count == 0 else { return [] }
            defer { finishing.waiters = [] }
            return finishing.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Takes no more exchanges, and waits until every complete one is in the journal. Nothing is written to the journal
    /// or to files beside it afterwards.
    package func close() async throws {
        await withCheckedContinuation { continuation in
            let isDone = self.finishing.withLock { finishing in
                finishing.isClosed = true
                if finishing.count > 0 { finishing.waiters.append(continuation) }
                return finishing.count == 0
            }
            if isDone { continuation.resume() }
        }
        try await self.fileThread.shutdownGracefully()
    }
}

extension RecordedExchange {
    /// About how much there is to search: coded bodies are larger than they look.
    fileprivate var textSize: Int {
        Self.size(self.requestBody, self.requestHeaders) + Self.size(self.response.body, self.response.headers)
    }

    private static func size(_ body: RecordedBody, _ headers: [HeaderField]) -> Int {
        guard case .bytes(let bytes) = body else { return 0 }
        return headers.contains(named: "content-encoding") ? bytes.count * 8 : bytes.count
    }
}

/// Why a recording takes no more exchanges, for a user. Those that it has are saved when it ends.
struct RecordingStopped: Error, CustomStringConvertible {
    var description: String
}
