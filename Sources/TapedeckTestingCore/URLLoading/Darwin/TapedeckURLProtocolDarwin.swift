#if canImport(Darwin)
import Foundation

/// Takes the requests of a URLSession to the deck, in place of Foundation's own loading: over plain TCP, so that neither a
/// proxy setting nor a certificate is needed, and App Transport Security has no say. See
/// ``ProxyRoute/urlSessionConfiguration(_:)``.
///
/// Apple's Foundation does for every protocol what the one for Linux does itself: files of downloads, completion handlers,
/// suspended tasks, and what a delegate says of a redirect.
class TapedeckURLProtocol: URLProtocol {
    private var transfer: Transfer?

    override class func canInit(with request: URLRequest) -> Bool {
        // Also what cannot be done, WebSockets and FTP: it fails here and does not get past the deck. What a data URL says
        // is in the URL.
        request.url?.scheme?.lowercased() != "data"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let loading = Loading(self)
        do {
            let transfer = Transfer(try self.plan(loading))
            self.transfer = transfer
            transfer.start { event in loading.perform { $0.take(event) } }
        } catch {
            self.client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {
        self.transfer?.cancel()
    }

    private func take(_ event: Transfer.Event) {
        switch event {
        case .sent, .wrote:
            // Foundation counts what passes through it itself.
            break
        case .response(let response):
            self.client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data(let data):
            self.client?.urlProtocol(self, didLoad: data)
        case .finished:
            self.client?.urlProtocolDidFinishLoading(self)
        case .failed(let error):
            self.client?.urlProtocol(self, didFailWithError: error)
        }
    }

    /// Has Foundation ask the delegate about a redirect. A request that is to follow comes to a protocol of its own.
    private func redirect(_ response: HTTPURLResponse, to request: URLRequest) {
        self.transfer?.cancel()
        self.client?.urlProtocol(self, wasRedirectedTo: request, redirectResponse: response)
        self.client?.urlProtocol(self, didFailWithError: CocoaError(.userCancelled))
    }

    /// Lets a transfer reach its protocol on the thread that Foundation has started it on: its client wants to be told there.
    private struct Loading: @unchecked Sendable {
        // Proof of @unchecked Sendable: the owner is used on its own thread alone; a run loop may be given blocks from any.
        private let owner: TapedeckURLProtocol
        private let loop = RunLoop.current
        private let modes: [RunLoop.Mode]

        init(_ owner: TapedeckURLProtocol) {
            self.owner = owner
            self.modes = [.default] + (RunLoop.current.currentMode.map { [$0] } ?? [])
        }

        func perform(_ work: @escaping @Sendable (TapedeckURLProtocol) -> Void) {
            self.loop.perform(inModes: self.modes) { work(self.owner) }
        }
    }

    // MARK: The plan

    /// The route of the request and the settings of its session; `nil` if they are not known.
    func destination() -> (route: ProxyRoute, configuration: URLSessionConfiguration)? {
        let request = self.request
        guard let route = ProxyRoute({ request.value(forHTTPHeaderField: $0) }),
            let configuration = KnownConfigurations.configuration(
                request.value(forHTTPHeaderField: ProxyRoute.configurationField)
            )
        else { return nil }
        return (route, configuration)
    }

    private func plan(_ loading: Loading) throws(URLError) -> Transfer.Plan {
        let request = self.request
        guard let (route, configuration) = self.destination() else {
            throw TransferError.error(
                .unknown,
                "The header fields that lead to Tapedeck are gone from this request. Add to the httpAdditionalHeaders of "
                    + "the configuration; do not replace them.",
                request.url
            )
        }
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            throw TransferError.error(.unsupportedURL, "Tapedeck takes http and https URLs only.", request.url)
        }
        return Transfer.Plan(
            route: route,
            request: request,
            body: try self.body(),
            // They are in the request already.
            additional: [:],
            cookies: configuration.httpShouldSetCookies ? configuration.httpCookieStorage : nil,
            cookiePolicy: configuration.httpCookieAcceptPolicy,
            timeout: Transfer.Plan.timeout(request, configuration),
            resourceTimeout: Transfer.Plan.duration(configuration.timeoutIntervalForResource),
            // The transfer ends with the request that is to follow, so that it is not told what to do.
            redirect: { response, request, _ in loading.perform { $0.redirect(response, to: request) } },
            newStream: { give in give(nil) }
        )
    }

    /// Foundation turns the body of a request, and that of an upload, into a stream.
    private func body() throws(URLError) -> RequestBody {
        if let data = self.request.httpBody { return .data(data) }
        if let stream = self.request.httpBodyStream { return .stream(RequestBody.BodyStream(stream)) }
        guard self.task is URLSessionUploadTask else { return .none }
        throw TransferError.error(
            .requestBodyStreamExhausted,
            "Tapedeck cannot see the body of this upload task. Put the body into the request's httpBody and use a data task.",
            self.request.url
        )
    }
}
#endif
