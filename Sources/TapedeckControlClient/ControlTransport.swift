import TapedeckControlAPI

/// Asks a deck and waits for the answer, each call blocking its thread. Connections wait for the next request, but for those
/// of streams and of bodies that come in parts. A proxy that the environment names is not used, as that is the deck's own.
struct ControlTransport: Sendable {
    let address: ControlAddress
    let token: String?
    /// The timeout of a request, unless it waits for something.
    var timeout: Duration = .seconds(30)
    private let idle = IdleConnections()

    init(address: ControlAddress, token: String?, timeout: Duration = .seconds(30)) {
        self.address = address
        self.token = token
        self.timeout = timeout
    }

    /// The maximum size of an answer or an event, in bytes: 64 MiB.
    static let sizeLimit = 64 << 20
    /// A stream is never silent for so long while the deck lives: it sends a comment every 15 seconds.
    static let silence: Duration = .seconds(60)

    struct Response {
        var head: ResponseParser.Head
        var body: [UInt8]
    }

    /// Returns the answer to a request, whatever its status.
    ///
    /// - Parameter patience: time that the deck may take in addition to the timeout.
    func response(to request: ControlRequest, patience: Duration = .zero) throws(ControlError) -> Response {
        let deadline = Deadline(after: self.timeout + patience)
        if let connection = self.idle.take(),
            let response = try self.answer(to: request, over: connection, deadline, isReused: true)
        {
            return response
        }
        let connection = IdleConnections.Connection(try self.connect(deadline))
        guard let response = try self.answer(to: request, over: connection, deadline, isReused: false) else {
            throw self.interrupted("it closed the connection")
        }
        return response
    }

    /// Sends a request over a connection and waits for the answer.
    ///
    /// - Parameter isReused: the deck may have closed the connection meanwhile.
    /// - Returns: `nil` if it has, and saw nothing of the request.
    private func answer(
        to request: ControlRequest,
        over connection: IdleConnections.Connection,
        _ deadline: Deadline,
        isReused: Bool
    ) throws(ControlError) -> Response? {
        let bytes = request.bytes(to: self.address, token: self.token, keepsAlive: true)
        do {
            try connection.socket.send(bytes, deadline: deadline, untilAnswered: true)
        } catch {
            guard error != .timeout else { throw self.timedOut }
            if isReused { return nil }
            // The deck has closed; what it said before is read below.
        }
        var parser = ResponseParser()
        var body: [UInt8] = []
        while !parser.isComplete {
            do {
                try self.receive(from: connection.socket, into: &parser, deadline)
            } catch {
                guard isReused, parser.isUntouched, error.kind == .interrupted else { throw error }
                return nil
            }
            body += parser.takeBody()
            guard body.count <= Self.sizeLimit else { throw self.tooLarge }
        }
        guard let head = parser.head else { throw self.notUnderstood("it has no head") }
        // A body that was answered early is not read to its end, so that the connection is of no use.
        if parser.keepsConnection, head.status < 400 { self.idle.put(connection) }
        return Response(head: head, body: body)
    }

    /// Returns the body of a successful answer.
    ///
    /// - Throws: ``ControlError``, including the deck's refusal.
    func body(of request: ControlRequest, patience: Duration = .zero) throws(ControlError) -> [UInt8] {
        let response = try self.response(to: request, patience: patience)
        try self.check(response.head, response.body)
        return response.body
    }

    /// Calls `handle` with one event after the other.
    ///
    /// - Parameter handle: returns true to continue.
    /// - Returns: true if `handle` ended it, false if the deck did.
    func follow(_ request: ControlRequest, _ handle: (ServerSentEvent) throws -> Bool) throws -> Bool {
        let socket = try self.open(request, Deadline(after: self.timeout))
        var parser = ResponseParser()
        var events = EventParser()
        var refusal: [UInt8] = []
        while !parser.isComplete {
            try self.receive(
                from: socket,
                into: &parser,
                Deadline(after: parser.head == nil ? self.timeout : Self.silence)
            )
            guard let head = parser.head else { continue }
            guard head.status == 200, head.mediaType == "text/event-stream" else {
                refusal += parser.takeBody()
                guard refusal.count <= Self.sizeLimit else { throw self.tooLarge }
                continue
            }
            for event in events.receive(parser.takeBody()) {
                guard try handle(event) else { return true }
            }
            guard events.pendingBytes <= Self.sizeLimit else { throw self.tooLarge }
        }
        guard let head = parser.head else { throw self.notUnderstood("it has no head") }
        try self.check(head, refusal)
        guard head.mediaType == "text/event-stream" else { throw self.notUnderstood("it is no stream of events") }
        return false
    }

    /// - Throws: ``ControlError`` if the answer is not a success.
    func check(_ head: ResponseParser.Head, _ body: [UInt8]) throws(ControlError) {
        guard !(200...299).contains(head.status) else { return }
        guard head.mediaType == "application/problem+json",
            let problem = try? ControlJSON.decode(ProblemModel.self, from: body)
        else {
            throw self.notUnderstood("it has the status \(head.status) and says nothing a deck would say")
        }
        throw ControlError(problem)
    }

    // MARK: The connection

    func open(_ request: ControlRequest, _ deadline: Deadline) throws(ControlError) -> ClientSocket {
        let socket = try self.connect(deadline)
        do {
            let bytes = request.bytes(to: self.address, token: self.token)
            try socket.send(bytes, deadline: deadline, untilAnswered: true)
        } catch {
            guard error != .timeout else { throw self.timedOut }
            // The deck has closed; the caller reads its answer.
        }
        return socket
    }

    private func connect(_ deadline: Deadline) throws(ControlError) -> ClientSocket {
        do {
            return try ClientSocket(host: self.address.host, port: self.address.port, deadline: deadline)
        } catch {
            guard error != .timeout else { throw self.timedOut }
            // The usual case needs no system's words.
            let reason = error == .connectionRefused ? "" : " (\(error.description))"
            throw ControlError(
                .noDeck,
                "no deck listens at \(self.address.url)\(reason)",
                advice: "start one with `tapedeck replay NAME`, or name one with --deck URL or TAPEDECK_URL"
            )
        }
    }

    func receive(
        from socket: borrowing ClientSocket,
        into parser: inout ResponseParser,
        _ deadline: Deadline
    ) throws(ControlError) {
        let bytes: [UInt8]
        do {
            bytes = try socket.receive(deadline: deadline)
        } catch {
            throw error == .timeout ? self.timedOut : self.interrupted(error.description)
        }
        let hasBegun = parser.head != nil
        do {
            if bytes.isEmpty { try parser.end() } else { try parser.receive(bytes) }
        } catch {
            if bytes.isEmpty { throw self.interrupted(hasBegun ? error.reason : "it closed the connection") }
            throw self.notUnderstood(error.reason)
        }
    }

    // MARK: What goes wrong

    var timedOut: ControlError {
        ControlError(.timeout, "the deck at \(self.address.url) gave no answer in time; is it still running?")
    }

    var tooLarge: ControlError {
        ControlError(.notUnderstood, "the answer of \(self.address.url) is larger than 64 MiB; ask for less at a time")
    }

    private func interrupted(_ reason: String) -> ControlError {
        ControlError(.interrupted, "the deck at \(self.address.url) stopped before its answer was complete (\(reason))")
    }

    func notUnderstood(_ reason: String) -> ControlError {
        ControlError(
            .notUnderstood,
            "what listens at \(self.address.url) does not answer as a deck of this version does: \(reason); name the "
                + "control port of a deck with --deck URL"
        )
    }
}
