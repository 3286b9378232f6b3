/// Bodies that are not in memory as a whole.
extension ControlTransport {
    /// Has `receive` take the body of a successful answer as it comes.
    ///
    /// - Parameters:
    ///   - mediaType: of the body.
    ///   - silence: so long may nothing come.
    /// - Throws: ``ControlError``, and what `receive` throws.
    func download(
        _ request: ControlRequest,
        mediaType: String,
        silence: Duration,
        _ receive: ([UInt8]) throws -> Void
    ) throws {
        let socket = try self.open(request, Deadline(after: self.timeout))
        var parser = ResponseParser()
        var refusal: [UInt8] = []
        while !parser.isComplete {
            try self.receive(from: socket, into: &parser, Deadline(after: silence))
            guard let head = parser.head else { continue }
            if head.status == 200, head.mediaType == mediaType {
                try receive(parser.takeBody())
            } else {
                refusal += parser.takeBody()
                guard refusal.count <= Self.sizeLimit else { throw self.tooLarge }
            }
        }
        guard let head = parser.head else { throw self.notUnderstood("it has no head") }
        try self.check(head, refusal)
        guard head.mediaType == mediaType else { throw self.notUnderstood("it is no archive") }
    }

    /// Sends a body as it is made, and returns that of a successful answer. One that comes early ends the sending.
    ///
    /// - Parameters:
    ///   - mediaType: of what is sent.
    ///   - silence: so long may nothing happen.
    ///   - next: the next piece; `nil` at the end.
    /// - Throws: ``ControlError``, and what `next` throws.
    func upload(
        _ request: ControlRequest,
        mediaType: String,
        silence: Duration,
        _ next: () throws -> [UInt8]?
    ) throws -> [UInt8] {
        var request = request
        request.streams = mediaType
        let socket = try self.open(request, Deadline(after: self.timeout))
        do {
            while !socket.hasInput, let piece = try next() {
                guard !piece.isEmpty else { continue }
                // RFC 9112 section 7.1.
                let size = Array("\(String(piece.count, radix: 16))\r\n".utf8)
                try socket.send(size + piece + Array("\r\n".utf8), deadline: Deadline(after: silence))
            }
            if !socket.hasInput { try socket.send(Array("0\r\n\r\n".utf8), deadline: Deadline(after: silence)) }
        } catch let failure as ClientSocket.Failure {
            guard failure != .timeout else { throw self.timedOut }
            // The deck has closed; its answer is read below.
        }
        var parser = ResponseParser()
        var body: [UInt8] = []
        while !parser.isComplete {
            try self.receive(from: socket, into: &parser, Deadline(after: silence))
            body += parser.takeBody()
            guard body.count <= Self.sizeLimit else { throw self.tooLarge }
        }
        guard let head = parser.head else { throw self.notUnderstood("it has no head") }
        try self.check(head, body)
        return body
    }
}
