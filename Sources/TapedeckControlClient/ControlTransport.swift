import TapedeckControlAPI

/// Asks a deck and waits for the answer: one connection per request, each call blocking its thread. A proxy that the
/// environment names is not used, as that is the deck's own.
struct ControlTransport: Sendable {
    let address: ControlAddress
    let token: String?
    /// How long a request may take, unless it waits for something.
    var timeout: Duration = .seconds(30)

    /// An answer, or one event, is no longer than this, in bytes: 64 MiB.
    static let sizeLimit = 64 << 20
    /// A stream is never silent for so long while the deck lives: it sends a comment every 15 seconds.
    static let silence: Duration = .seconds(60)

    struct Response {
        var head: ResponseParser.Head
        var body: [UInt8]
    }

    /// The answer to a request, whatever it is.
    ///
    /// - Parameter patience: how long the deck may take on top of the timeout.
    func response(to request: ControlRequest, patience: Duration = .zero) throws(ControlError) -> Response {
        let deadline = Deadline(after: self.timeout + patience)
        let socket = try self.open(request, deadline)
        var parser = ResponseParser()
        var body: [UInt8] = []
        while !parser.isComplete {
            try self.receive(from: socket, into: &parser, deadline)
            body += parser.takeBody()
            guard body.count <= Self.sizeLimit else { throw self.tooLarge }
        }
        guard let head = parser.head else { throw self.notUnderstood("it has no head") }
        return Response(head: head, body: body)
    }

    /// The body of a successful answer.
    ///
    /// - Throws: ``ControlError``, among others what the deck said where it refused.
    func body(of request: ControlRequest, patience: Duration = .zero) throws(ControlError) -> [UInt8] {
        let response = try self.response(to: request, patience: patience)
        try self.check(response.head, response.body)
        return response.body
    }

    /// Has `handle` take one event after the other.
    ///
    /// - Parameter handle: returns whether to go on.
    /// - Returns: whether `handle` ended it; else the deck did.
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

    /// - Throws: ``ControlError`` where the answer is no success.
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
            // The deck has closed; what it said before is read by the caller.
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
                "no deck listens at \(self.address.url)\(reason); start one with `tapedeck replay NAME`, or name one "
                    + "with --deck URL or TAPEDECK_URL"
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
