#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import TapedeckLocking

/// The data of the task that a transfer needs.
extension TapedeckURLProtocol {
    func plan(_ task: URLSessionTask, _ insides: TaskInsides) throws(URLError) -> Transfer.Plan {
        let request = self.request
        guard let session = insides.session else {
            throw TransferError.error(
                .unknown,
                "Tapedeck does not know this version of Foundation: it cannot see which URLSession a request is of. Give "
                    + "the client baseURL(for:) and a plain URLSession instead.",
                request.url
            )
        }
        let configuration = session.configuration
        guard let route = self.route(configuration) else {
            throw TransferError.error(
                .unknown,
                "The header fields that lead to Tapedeck are gone from this URLSession's configuration. Add to its "
                    + "httpAdditionalHeaders; do not replace them.",
                request.url
            )
        }
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            throw TransferError.error(.unsupportedURL, "Tapedeck takes http and https URLs only.", request.url)
        }
        let cookies = configuration.httpShouldSetCookies ? configuration.httpCookieStorage : nil
        let asking = Self.delegate(task, session).map { Asking(task: task, session: session, delegate: $0) }
        return Transfer.Plan(
            route: route,
            request: request,
            body: try self.body(task, insides),
            additional: Self.fields(configuration),
            cookies: cookies,
            cookiePolicy: configuration.httpCookieAcceptPolicy,
            timeout: Transfer.Plan.timeout(request, configuration),
            resourceTimeout: Transfer.Plan.duration(configuration.timeoutIntervalForResource),
            // Without a delegate every redirect is followed, and no stream can be read again.
            redirect: { response, request, follow in
                if let asking { asking.ask(response, request, follow) } else { follow(request) }
            },
            newStream: { give in if let asking { asking.askForStream(give) } else { give(nil) } }
        )
    }

    private static func fields(_ configuration: URLSessionConfiguration) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = name.base as? String else { continue }
            fields[name] = value as? String ?? "\(value)"
        }
        return fields
    }

    /// The body is not in the request of an upload task, and an empty one in its place would be a lie.
    private func body(_ task: URLSessionTask, _ insides: TaskInsides) throws(URLError) -> RequestBody {
        if case .found(let body) = insides.body { return body }
        if let data = self.request.httpBody { return .data(data) }
        if let stream = self.request.httpBodyStream { return .stream(RequestBody.BodyStream(stream)) }
        guard task is URLSessionUploadTask else { return .none }
        guard case .none = insides.body else {
            throw TransferError.error(
                .requestBodyStreamExhausted,
                "Tapedeck cannot see the body of this upload task in this version of Foundation. Put the body into the "
                    + "request's httpBody and use a data task.",
                self.request.url
            )
        }
        if let stream = Self.newStream(task, insides.session) { return .stream(RequestBody.BodyStream(stream)) }
        throw TransferError.error(
            .requestBodyStreamExhausted,
            "The delegate gave no stream for the body of an upload; implement urlSession(_:task:needNewBodyStream:).",
            self.request.url
        )
    }

    /// Returns the delegate's stream for the body of a streamed upload, if it provides one at once.
    private static func newStream(_ task: URLSessionTask, _ session: URLSession?) -> InputStream? {
        guard let session, let delegate = self.delegate(task, session) else { return nil }
        let box = StreamBox()
        delegate.urlSession(session, task: task) { box.put($0) }
        return box.take()
    }

    private final class StreamBox: @unchecked Sendable {
        // Proof of @unchecked Sendable: `stream` is read and written under the lock alone. The delegate may answer late and
        // from anywhere; what comes behind `take` is dropped, so that who took a stream has it alone.
        private let isTaken = Locked(false)
        private var stream: InputStream?

        func put(_ stream: InputStream?) {
            self.isTaken.withLock { isTaken in
                if !isTaken { self.stream = stream }
            }
        }

        func take() -> InputStream? {
            var taken: InputStream?
            self.isTaken.withLock { isTaken in
                isTaken = true
                taken = self.stream
                self.stream = nil
            }
            return taken
        }
    }

    private static func delegate(_ task: URLSessionTask, _ session: URLSession) -> (any URLSessionTaskDelegate)? {
        task.delegate ?? session.delegate as? any URLSessionTaskDelegate
    }

    /// Asks the delegate, on its queue.
    private struct Asking: @unchecked Sendable {
        // Proof of @unchecked Sendable: task and session are Sendable by Foundation's word; the delegate is called on the
        // queue that all its calls are on.
        let task: URLSessionTask
        let session: URLSession
        let delegate: any URLSessionTaskDelegate

        func ask(
            _ response: HTTPURLResponse,
            _ request: URLRequest,
            _ follow: @escaping @Sendable (URLRequest?) -> Void
        ) {
            self.session.delegateQueue.addOperation {
                self.delegate.urlSession(
                    self.session,
                    task: self.task,
                    willPerformHTTPRedirection: response,
                    newRequest: request,
                    completionHandler: follow
                )
            }
        }

        func askForStream(_ give: @escaping @Sendable (RequestBody.BodyStream?) -> Void) {
            self.session.delegateQueue.addOperation {
                self.delegate.urlSession(self.session, task: self.task) { give($0.map { RequestBody.BodyStream($0) }) }
            }
        }
    }
}
#endif
