package import Logging
import NIOCore
import NIOPosix
import Synchronization
package import TapedeckCassettes
import TapedeckCore
import TapedeckLocking

/// Takes finished exchanges into the journal of a recording.
///
/// An exchange is appended by copying it into memory that the kernel writes to the file in its own time: no client
/// waits for a disk, and a kill of the process loses nothing. Only bodies beyond
/// ``ProxyConfiguration/recordedBodyMemory`` go to files of their own, on a thread that does nothing else.
package final class Recorder: Sendable {
    package let journal: RecordingJournal
    private let fileThread: NIOThreadPool
    private let bodyMemory: Int
    private let sequence = Atomic<Int>(0)
    private let recordedCount = Atomic<Int>(0)
    private let problem = Locked<String?>(nil)
    /// Exchanges that are complete, but not in the journal yet because a body file is being finished.
    private let finishing = Locked(Finishing())

    private struct Finishing {
        var count = 0
        /// Nothing more is taken.
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let log: Logger

    package init(journal: RecordingJournal, bodyMemory: Int, log: Logger) {
        self.journal = journal
        self.bodyMemory = bodyMemory
        self.log = log
        self.fileThread = NIOThreadPool(numberOfThreads: 1)
        self.fileThread.start()
    }

    /// How many exchanges are in the journal.
    package var recorded: Int { self.recordedCount.load(ordering: .relaxed) }

    /// What keeps the recorder from recording any more, if anything does.
    package var failure: String? { self.problem.withLock { $0 } }

    /// Why an exchange is not recorded that was under way when the recording ended.
    static let stoppedEarly = "the recording was stopped before the response was complete"

    /// The recording of one exchange; `nil` once recording has failed or ended.
    func begin(_ head: RequestHead, on eventLoop: any EventLoop) -> ExchangeRecording? {
        guard self.failure == nil, !self.finishing.withLock({ $0.isClosed }) else { return nil }
        let number = self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
        return ExchangeRecording(recorder: self, number: number, head: head, eventLoop: eventLoop)
    }

    func makeBody(_ label: String, on eventLoop: any EventLoop) -> CapturedBody {
        CapturedBody(
            path: self.journal.bodyPath(label),
            name: label,
            memoryLimit: self.bodyMemory,
            thread: self.fileThread,
            eventLoop: eventLoop
        )
    }

    /// Appends a finished exchange; returns why it could not, if so.
    func append(_ exchange: RecordedExchange) -> String? {
        do {
            try self.journal.append(exchange)
            self.recordedCount.wrappingAdd(1, ordering: .relaxed)
            return nil
        } catch {
            return self.stop("\(error)")
        }
    }

    /// Recording ends here; what is in the journal stays.
    func stop(_ reason: String) -> String {
        let isFirst = self.problem.withLock { problem in
            guard problem == nil else { return false }
            problem = reason
            return true
        }
        if isFirst { self.log.error("recording has stopped", metadata: ["reason": "\(reason)"]) }
        return reason
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
