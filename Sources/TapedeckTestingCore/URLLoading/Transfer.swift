import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of a URLSession to the deck and back, redirects included, on a separate thread.
///
/// Its sockets block, and threads of Dispatch are few, so a hundred transfers would wait for each other there.
final class Transfer: Sendable {
    /// The request to make.
    struct Plan: Sendable {
        var route: ProxyRoute
        var request: URLRequest
        var body: RequestBody
        /// The configuration's header fields.
        var additional: [String: String]
        var cookies: HTTPCookieStorage?
        var cookiePolicy: HTTPCookie.AcceptPolicy
        /// The maximum silence.
        var timeout: Duration
        /// The maximum total time.
        var resourceTimeout: Duration
        /// Called before a redirect is followed; calls back with the request to follow, or `nil` to stay, from any
        /// thread.
        var redirect: @Sendable (HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void
        /// Called before a streamed body is sent again; calls back with a stream to read, or `nil` if there is none, from any
        /// thread.
        var newStream: @Sendable (@escaping @Sendable (RequestBody.BodyStream?) -> Void) -> Void
    }

    /// An event of the transfer: a response, data and an end in this order, or a failure at any time.
    enum Event: Sendable {
        /// A part of the body has gone out, in bytes.
        case sent(Int)
        case response(HTTPURLResponse)
        case data(Data)
        /// In place of ``data(_:)``, where the body is put into a file: so many bytes of it.
        case wrote(Int)
        case finished
        #if canImport(FoundationNetworking)
        /// In place of ``finished``, where the body was put into a file.
        case downloaded(DownloadFile)
        #endif
        case failed(URLError)
    }

    let plan: Plan
    private let stop = SocketStop()

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Cancels the transfer. It ends without further events.
    func cancel() {
        self.stop.stop()
    }

    /// Starts it.
    ///
    /// - Parameter deliver: called on the transfer's thread, in order.
    func start(_ deliver: @escaping @Sendable (Event) -> Void) {
        Thread.detachNewThread {
            do throws(URLError) {
                try self.run(deliver)
            } catch {
                if !self.stop.isStopped { deliver(.failed(error)) }
            }
        }
    }

    private func run(_ deliver: (Event) -> Void) throws(URLError) {
        let end = Deadline(after: self.plan.resourceTimeout)
        var request = self.plan.request
        var body = self.plan.body
        for _ in 0...Redirect.limit {
            guard let next = try self.exchange(request, body, end, deliver) else { return }
            request = next.request
            body = next.keepsBody ? try self.again(body, end, request.url) : .none
        }
        throw TransferError.error(.httpTooManyRedirects, "There were too many redirects.", request.url)
    }

    private typealias Next = (request: URLRequest, keepsBody: Bool)

    /// Sends one request and receives its answer. Returns the target of a redirect.
    private func exchange(
        _ request: URLRequest,
        _ body: RequestBody,
        _ end: Deadline,
        _ deliver: (Event) -> Void
    ) throws(URLError) -> Next? {
        let url = request.url
        let socket: ClientSocket
        do {
            socket = try ClientSocket(
                host: self.plan.route.host,
                port: self.plan.route.port,
                deadline: self.patience(end)
            )
        } catch {
            throw TransferError.unreachable(error, self.plan.route, url)
        }
        guard self.stop.take(socket.descriptor) else { return nil }
        defer { self.stop.release() }
        try self.send(request, body, over: socket, end, deliver)
        var parser = ResponseParser(isHead: request.httpMethod == "HEAD")
        var next: Next?
        var hasBegun = false
        while !parser.isComplete {
            try self.receive(from: socket, into: &parser, end, url)
            guard !self.stop.isStopped else { return nil }
            guard let head = parser.head else { continue }
            if !hasBegun {
                hasBegun = true
                if let error = TransferError.error(head, url) { throw error }
                let response = try self.response(head, url)
                self.storeCookies(of: head, request)
                next = try self.next(after: request, head, response, end)
                guard !self.stop.isStopped else { return nil }
                if next == nil { deliver(.response(response)) }
            }
            // The body of a followed redirect is dropped.
            let bytes = parser.takeBody()
            if next == nil, !bytes.isEmpty { deliver(.data(Data(bytes))) }
        }
        if next == nil { deliver(.finished) }
        return next
    }

    /// The end of the present wait.
    func patience(_ end: Deadline) -> Deadline {
        let idle = Deadline(after: self.plan.timeout)
        return end.milliseconds < idle.milliseconds ? end : idle
    }

    // MARK: Redirects

    private func next(
        after request: URLRequest,
        _ head: ResponseParser.Head,
        _ response: HTTPURLResponse,
        _ end: Deadline
    ) throws(URLError) -> Next? {
        guard let next = Redirect.request(status: head.status, location: head["location"], after: request) else {
            return nil
        }
        let chosen = try self.ask(end, request.url) { self.plan.redirect(response, next.request, $0) }
        return chosen.map { ($0, next.keepsBody) }
    }

    /// Returns a body to be sent once more. A stream is read only once, so the delegate is asked for a new one.
    private func again(_ body: RequestBody, _ end: Deadline, _ url: URL?) throws(URLError) -> RequestBody {
        guard case .stream = body else { return body }
        return try self.ask(end, url, self.plan.newStream).map { .stream($0) } ?? body
    }

    /// Waits for an answer of the delegate; `nil` also if the transfer is cancelled meanwhile.
    private func ask<Value: Sendable>(
        _ end: Deadline,
        _ url: URL?,
        _ question: (@escaping @Sendable (Value?) -> Void) -> Void
    ) throws(URLError) -> Value? {
        let answer = DelegateAnswer<Value>()
        self.stop.whenStopped { answer.give(nil) }
        question { answer.give($0) }
        switch answer.wait(until: end) {
        case .given(let value): return value
        case .timedOut: throw TransferError.timedOut(url)
        }
    }
}
