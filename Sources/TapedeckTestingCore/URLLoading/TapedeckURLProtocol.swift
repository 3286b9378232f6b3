#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking

/// Takes the requests of a URLSession to the deck, in place of Foundation's own loading, which on Linux can be given
/// neither a proxy nor a certificate authority. See ``ProxyRoute/urlSessionConfiguration(_:)``.
class TapedeckURLProtocol: URLProtocol {
    // Everything here happens on the task's own queue: Foundation calls `startLoading` and `stopLoading` on it, and what a
    // transfer delivers is put on it. The table of tasks that Foundation looks into then is guarded by that same queue.

    private var transfer: Transfer?
    private var progress: ProgressCalls?
    private var isSuspended = false
    /// The events that came while the task was suspended.
    private var waiting: [Transfer.Event] = []
    /// The body so far, if it is returned in one piece.
    private var whole: Data?

    override class func canInit(with request: URLRequest) -> Bool {
        // Also what cannot be done, WebSockets and FTP: it fails here and does not get past the deck. What a data URL says
        // is in the URL.
        request.url?.scheme?.lowercased() != "data"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard self.transfer == nil else {
            // Suspended, then resumed.
            self.isSuspended = false
            let events = self.waiting
            self.waiting = []
            for event in events { self.take(event) }
            return
        }
        guard let task = self.task else { return }
        let insides = TaskInsides(task)
        let hasDelegate = task.delegate != nil || insides.session?.delegate != nil
        if insides.wantsWhole ?? !hasDelegate { self.whole = Data() }
        do {
            let plan = try self.plan(task, insides)
            let transfer = Transfer(plan)
            self.transfer = transfer
            self.progress = ProgressCalls(task, insides.session, bodyLength: (try? plan.body.length()) ?? nil)
            let queue = insides.queue ?? DispatchQueue(label: "tapedeck.loading")
            let loading = Loading(self)
            let download = task is URLSessionDownloadTask ? Download(self.request.url) : nil
            transfer.start { event in
                guard let download else {
                    queue.async { loading.take(event) }
                    return
                }
                if let event = download.take(event) { queue.async { loading.take(event) } }
            }
        } catch {
            self.client?.urlProtocol(self, didFailWithError: error)
        }
    }

    /// The route of a session's requests; `nil` if none is known.
    func route(_ configuration: URLSessionConfiguration) -> ProxyRoute? { ProxyRoute(configuration) }

    override func stopLoading() {
        switch self.task?.state {
        // A task that is suspended and resumed at once runs again by the time of this call, which `startLoading` follows.
        case .suspended, .running:
            self.isSuspended = true
        default:
            self.waiting = []
            self.whole = nil
            self.transfer?.cancel()
        }
    }

    /// Lets a transfer's events reach their protocol.
    private struct Loading: @unchecked Sendable {
        // Proof of @unchecked Sendable: it is made on the task's queue, and `take` is called there alone.
        private let owner: TapedeckURLProtocol

        init(_ owner: TapedeckURLProtocol) {
            self.owner = owner
        }

        func take(_ event: Transfer.Event) {
            self.owner.take(event)
        }
    }

    private func take(_ event: Transfer.Event) {
        // A task that was cancelled has had its error already.
        guard self.task?.state != .canceling, self.task?.state != .completed else { return }
        guard !self.isSuspended else {
            self.waiting.append(event)
            return
        }
        switch event {
        case .sent(let count):
            self.progress?.sent(count)
        case .wrote(let count):
            self.progress?.wrote(count)
        case .response(let response):
            self.progress?.responded(response)
            self.client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data(let data):
            if self.whole != nil {
                self.whole?.append(data)
            } else {
                self.client?.urlProtocol(self, didLoad: data)
            }
        case .finished:
            if let whole = self.whole, !whole.isEmpty { self.client?.urlProtocol(self, didLoad: whole) }
            self.whole = nil
            self.client?.urlProtocolDidFinishLoading(self)
        case .downloaded(let file):
            let holder = file.handOver()
            holder.task = self.task
            self.client?.urlProtocolDidFinishLoading(holder)
        case .failed(let error):
            self.client?.urlProtocol(self, didFailWithError: error)
        }
    }
}
#endif
