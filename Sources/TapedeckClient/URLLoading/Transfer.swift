import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of a URLSession on its way to the deck and back, redirects included, on a thread of its own.
///
/// Sockets of this kind block, and threads of Dispatch are few, so a hundred of them would wait for each other there.
final class Transfer: Sendable {
    /// What there is to do.
    struct Plan: Sendable {
        var route: ProxyRoute
        var request: URLRequest
        var body: RequestBody
        /// The configuration's header fields.
        var additional: [String: String]
        var cookies: HTTPCookieStorage?
        var cookiePolicy: HTTPCookie.AcceptPolicy
        /// How long nothing may come.
        var timeout: Duration
        /// How long all of it may take.
        var resourceTimeout: Duration
        /// Asked before a redirect is followed; blocks.
        var redirect: @Sendable (HTTPURLResponse, URLRequest) -> URLRequest?
    }

    /// What becomes of it: a response, data and an end in this order, or a failure at any time.
    enum Event: Sendable {
        case response(HTTPURLResponse)
        case data(Data)
        case finished
        /// In place of ``finished``, where the body was put into a file.
        case downloaded(DownloadFile)
        case failed(URLError)
    }

    private let plan: Plan
    private let stop = SocketStop()

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Nothing more is wanted. What is under way ends without a word.
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
            if !next.keepsBody { body = .none }
        }
        throw TransferError.error(.httpTooManyRedirects, "There were too many redirects.", request.url)
    }

    private typealias Next = (request: URLRequest, keepsBody: Bool)

    /// One request and its answer. Returns where that leads, if it leads on.
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
        let isSent = try self.send(request, body, over: socket, end)
        var parser = ResponseParser(isHead: request.httpMethod == "HEAD")
        var next: Next?
        var hasBegun = false
        while !parser.isComplete {
            try self.receive(from: socket, into: &parser, isSent: isSent, end, url)
            guard !self.stop.isStopped else { return nil }
            guard let head = parser.head else { continue }
            if !hasBegun {
                hasBegun = true
                if let error = TransferError.error(head, url) { throw error }
                let response = try self.response(head, url)
                self.storeCookies(of: head, url)
                next = self.next(after: request, head, response)
                if next == nil { deliver(.response(response)) }
            }
            // The body of a redirect that is followed is nobody's.
            let bytes = parser.takeBody()
            if next == nil, !bytes.isEmpty { deliver(.data(Data(bytes))) }
        }
        if next == nil { deliver(.finished) }
        return next
    }

    private func patience(_ end: Deadline) -> Deadline {
        let idle = Deadline(after: self.plan.timeout)
        return end.milliseconds < idle.milliseconds ? end : idle
    }

    // MARK: Sending

    /// Returns whether all of it went out: who answers before it has read everything may close early.
    private func send(
        _ request: URLRequest,
        _ body: RequestBody,
        over socket: borrowing ClientSocket,
        _ end: Deadline
    ) throws(URLError) -> Bool {
        let url = request.url
        let length: Int?
        do {
            length = try body.length()
        } catch {
            throw TransferError.error(.fileDoesNotExist, "The file to upload cannot be read: \(error).", url)
        }
        let cookies = url.flatMap { self.plan.cookies?.cookies(for: $0) } ?? []
        let head = OutgoingHead(
            request,
            route: self.plan.route,
            additional: self.plan.additional,
            cookies: cookies,
            body: body,
            length: length
        )
        guard let head else {
            throw TransferError.error(.unsupportedURL, "Tapedeck takes http and https URLs only.", url)
        }
        do throws(ClientSocket.Failure) {
            try socket.send(head.bytes, deadline: self.patience(end))
        } catch {
            throw TransferError.broken(error, url)
        }
        var pieces = try BodyPieces(body, url)
        while let piece = try pieces.next() {
            do throws(ClientSocket.Failure) {
                if head.isChunked {
                    try socket.send(Array("\(String(piece.count, radix: 16))\r\n".utf8), deadline: self.patience(end))
                }
                try socket.send(piece, deadline: self.patience(end))
                if head.isChunked { try socket.send([0x0D, 0x0A], deadline: self.patience(end)) }
            } catch {
                guard error != .timeout else { throw TransferError.timedOut(url) }
                return false
            }
        }
        if head.isChunked, body.isPresent {
            do throws(ClientSocket.Failure) {
                try socket.send(Array("0\r\n\r\n".utf8), deadline: self.patience(end))
            } catch {
                return false
            }
        }
        return true
    }

    // MARK: Receiving

    private func receive(
        from socket: borrowing ClientSocket,
        into parser: inout ResponseParser,
        isSent: Bool,
        _ end: Deadline,
        _ url: URL?
    ) throws(URLError) {
        let bytes: [UInt8]
        do {
            bytes = try socket.receive(deadline: self.patience(end))
        } catch {
            throw TransferError.broken(error, url)
        }
        do {
            if bytes.isEmpty { try parser.end() } else { try parser.receive(bytes) }
        } catch {
            guard !bytes.isEmpty, parser.head == nil else { throw TransferError.lost(error.reason, url) }
            throw TransferError.error(.badServerResponse, "The answer is no HTTP: \(error.reason).", url)
        }
    }

    private func response(_ head: ResponseParser.Head, _ url: URL?) throws(URLError) -> HTTPURLResponse {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        for (name, value) in head.fields {
            let spelling = spellings[name.lowercased()] ?? name
            spellings[name.lowercased()] = spelling
            // RFC 9110 section 5.3: fields of one name are one list.
            fields[spelling] = fields[spelling].map { "\($0), \(value)" } ?? value
        }
        Self.hideChallenge(in: &fields, status: head.status)
        guard let url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: head.status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        else { throw TransferError.error(.badServerResponse, "The response cannot be read.", url) }
        return response
    }

    /// Foundation on Linux answers a challenge of the kinds that it knows by asking anew with its own loader, past the
    /// deck, or without credentials never ends the task. So it must not see it: the field gets another name.
    private static func hideChallenge(in fields: inout [String: String], status: Int) {
        guard status == 401, let name = fields.keys.first(where: { $0.lowercased() == "www-authenticate" }),
            let value = fields[name], value.lowercased().contains("basic") || value.lowercased().contains("digest")
        else { return }
        fields[name] = nil
        fields["X-Tapedeck-WWW-Authenticate"] = value
    }

    private func next(
        after request: URLRequest,
        _ head: ResponseParser.Head,
        _ response: HTTPURLResponse
    ) -> Next? {
        guard let next = Redirect.request(status: head.status, location: head["location"], after: request),
            let chosen = self.plan.redirect(response, next.request)
        else { return nil }
        return (chosen, next.keepsBody)
    }

    private func storeCookies(of head: ResponseParser.Head, _ url: URL?) {
        guard let url, let storage = self.plan.cookies, self.plan.cookiePolicy != .never else { return }
        // Each by itself: a comma may stand in one.
        for (name, value) in head.fields where name.lowercased() == "set-cookie" {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: self.plan.request.mainDocumentURL)
        }
    }
}
