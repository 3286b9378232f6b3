import TapedeckCore

/// One entry of a session of a proxy: an exchange, or a request that got no answer.
enum SessionEntry {
    case exchange(ForeignExchange)
    case request(ForeignRequest)

    /// A request without an answer.
    ///
    /// - Parameter exchange: what the file has of it.
    /// - Throws: the reason for which it cannot be sent.
    static func unanswered(_ exchange: ForeignExchange, line: Int) throws(LeftOut) -> SessionEntry {
        guard AbsoluteURL(exchange.url) != nil else {
            throw LeftOut("'\(exchange.url.prefix(200))' is no http or https URL", line: line)
        }
        guard !exchange.lacksRequestBody else {
            throw LeftOut("it got no answer, and the file does not hold all of its request body", line: line)
        }
        var request = ForeignRequest()
        request.method = exchange.method
        request.url = exchange.url
        request.headers = exchange.requestHeaders.filter { !$0.name.hasPrefix(":") }
        request.body = exchange.requestBody
        request.notes = exchange.notes
        return .request(request)
    }

    /// The reason to leave out a request that opens a tunnel.
    static let tunnel = "it is a CONNECT, which opens a tunnel: nothing to play"
    /// The reason to leave out a connection that became a WebSocket.
    static let webSocket = "it is a WebSocket: cassettes hold no WebSocket messages"
}

extension ImportedFile {
    /// Reads one entry of a session: what `read` throws is the reason for which it gives nothing.
    mutating func append(line: Int, _ read: () throws(LeftOut) -> SessionEntry) {
        do throws(LeftOut) {
            switch try read() {
            case .exchange(let exchange):
                self.exchanges.append(ForeignEntry.reading(line: line) { () throws(LeftOut) in exchange })
            case .request(let request):
                self.requests.append(RequestEntry.reading(line: line) { () throws(LeftOut) in request })
            }
        } catch {
            self.exchanges.append(ForeignEntry(line: line, result: .failure(error)))
        }
    }
}
