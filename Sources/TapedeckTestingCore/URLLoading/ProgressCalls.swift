#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// Calls a task's delegate about the progress of its transfer. Belongs to the task's queue.
///
/// The task's own byte counts, `progress` and `error` stay as Foundation leaves them: on Linux only Foundation's own
/// protocols can set them, and a change of `progress` from outside ends the process when Foundation changes it too.
final class ProgressCalls {
    private let task: URLSessionTask
    private let session: URLSession?
    private var sent: Int64 = 0
    private let toSend: Int64
    private var written: Int64 = 0
    private var toWrite = NSURLSessionTransferSizeUnknown

    /// - Parameter bodyLength: of the request; `nil` if it is unknown.
    init(_ task: URLSessionTask, _ session: URLSession?, bodyLength: Int?) {
        self.task = task
        self.session = session
        self.toSend = bodyLength.map { Int64($0) } ?? NSURLSessionTransferSizeUnknown
    }

    func sent(_ count: Int) {
        self.sent += Int64(count)
        let (task, total, expected) = (self.task, self.sent, self.toSend)
        self.call { session, delegate in
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
        self.toWrite = response.expectedContentLength
    }

    /// A download has written more of its file.
    func wrote(_ count: Int) {
        self.written += Int64(count)
        guard let task = self.task as? URLSessionDownloadTask else { return }
        let (total, expected) = (self.written, self.toWrite)
        self.call { session, delegate in
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session,
                downloadTask: task,
                didWriteData: Int64(count),
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        }
    }

    /// Calls the delegate on the session's queue for it.
    private func call(_ call: @escaping (URLSession, any URLSessionDelegate) -> Void) {
        guard let session = self.session else { return }
        guard let delegate = self.task.delegate as (any URLSessionDelegate)? ?? session.delegate else { return }
        let pending = Call(session: session, delegate: delegate, call: call)
        session.delegateQueue.addOperation { pending.run() }
    }

    private struct Call: @unchecked Sendable {
        // Proof of @unchecked Sendable: the session is Sendable by Foundation's word, the delegate is called on the queue
        // that all its calls are on, and the closure has values and a task, which is Sendable too.
        let session: URLSession
        let delegate: any URLSessionDelegate
        let call: (URLSession, any URLSessionDelegate) -> Void

        func run() {
            self.call(self.session, self.delegate)
        }
    }
}
#endif
