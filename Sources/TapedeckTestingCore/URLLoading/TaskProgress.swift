#if canImport(FoundationNetworking)
import CTapedeckFoundation
import Dispatch
import Foundation
import FoundationNetworking

/// The progress of a task's transfer: byte counts, `progress`, error, and the delegate's calls for them.
///
/// Foundation on Linux sets these for its own protocols alone. Where the setters are not found, as in another version of
/// Foundation, the counts stay 0 and the error `nil`. Belongs to the task's queue.
final class TaskProgress {
    private let task: URLSessionTask
    private let insides: TaskInsides
    private var sent: Int64 = 0
    private var toSend: Int64
    private var received: Int64 = 0
    private var toReceive = NSURLSessionTransferSizeUnknown

    init(_ task: URLSessionTask, _ insides: TaskInsides, bodyLength: Int?) {
        self.task = task
        self.insides = insides
        self.toSend = bodyLength.map { Int64($0) } ?? NSURLSessionTransferSizeUnknown
        if self.toSend > 0 { self.set("26countOfBytesExpectedToSend", self.toSend) }
    }

    // MARK: Events

    func sent(_ count: Int) {
        self.sent += Int64(count)
        self.set("16countOfBytesSent", self.sent)
        self.update()
        let (task, total, expected) = (self.task, self.sent, self.toSend)
        self.tell { session, delegate in
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session,
                task: task,
                didSendBodyData: Int64(count),
                totalBytesSent: total,
                totalBytesExpectedToSend: expected
            )
        }
    }

    func responded(_ response: URLResponse) {
        self.toReceive = response.expectedContentLength
        self.set("29countOfBytesExpectedToReceive", self.toReceive)
        self.update()
    }

    func received(_ count: Int) {
        self.received += Int64(count)
        self.set("20countOfBytesReceived", self.received)
        self.update()
    }

    /// A download has written more of its file.
    func wrote(_ count: Int) {
        self.received(count)
        guard let task = self.task as? URLSessionDownloadTask else { return }
        let (total, expected) = (self.received, self.toReceive)
        self.tell { session, delegate in
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session,
                downloadTask: task,
                didWriteData: Int64(count),
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        }
    }

    /// All of it is done.
    func finished() {
        self.update(isDone: true)
    }

    func failed(_ error: any Error) {
        // A setter takes its value over, so that this one is not released here.
        let place = UnsafeMutablePointer<(any Error)?>.allocate(capacity: 1)
        place.initialize(to: error)
        defer { place.deallocate() }
        let pointer = UnsafeRawPointer(place).load(as: UnsafeMutableRawPointer.self)
        let task = Unmanaged.passUnretained(self.task).toOpaque()
        if !tapedeck_set_error("\(Self.prefix)5errors5Error_pSgvs", task, pointer) { place.deinitialize(count: 1) }
    }

    // MARK: How

    private static let prefix = "$s20FoundationNetworking14URLSessionTaskC"

    /// - Parameter property: its mangled name.
    private func set(_ property: String, _ value: Int64) {
        _ = tapedeck_set_number(
            "\(Self.prefix)\(property)s5Int64Vvs",
            Unmanaged.passUnretained(self.task).toOpaque(),
            value
        )
    }

    /// Has `progress` say so too, behind what Foundation makes of the counts on the same queue: that is only right for tasks
    /// that say beforehand how much they expect.
    private func update(isDone: Bool = false) {
        let known = max(0, self.toSend) + max(0, self.toReceive)
        let isKnown = self.toReceive >= 0 && known > 0
        let count = max(0, self.sent) + self.received
        let progress = Update(
            progress: self.task.progress,
            total: isKnown ? known : isDone ? max(1, count) : -1,
            completed: isDone ? (isKnown ? known : max(1, count)) : count
        )
        guard let queue = self.insides.queue else { return progress.make() }
        queue.async { progress.make() }
    }

    private struct Update: @unchecked Sendable {
        // Proof of @unchecked Sendable: a `Progress` may be changed from any thread.
        let progress: Progress
        let total: Int64
        let completed: Int64

        func make() {
            self.progress.totalUnitCount = self.total
            self.progress.completedUnitCount = self.completed
        }
    }

    /// Calls the delegate on the session's queue for it.
    private func tell(_ call: @escaping (URLSession, any URLSessionDelegate) -> Void) {
        guard let session = self.insides.session else { return }
        guard let delegate = self.task.delegate as (any URLSessionDelegate)? ?? session.delegate else { return }
        let telling = Telling(session: session, delegate: delegate, queue: self.insides.queue, call: call)
        session.delegateQueue.addOperation { telling.run() }
    }

    private struct Telling: @unchecked Sendable {
        // Proof of @unchecked Sendable: the session is Sendable by Foundation's word, the delegate is called on the queue
        // that all its calls are on, and the closure has values and a task, which is Sendable too, as is a dispatch queue.
        let session: URLSession
        let delegate: any URLSessionDelegate
        let queue: DispatchQueue?
        let call: (URLSession, any URLSessionDelegate) -> Void

        func run() {
            // The delegate finds `progress` as of this call, or later: its update is on that queue already.
            self.queue?.sync {}
            self.call(self.session, self.delegate)
        }
    }
}
#endif
