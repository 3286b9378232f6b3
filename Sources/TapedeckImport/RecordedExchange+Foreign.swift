package import TapedeckCore

extension RecordedExchange {
    /// An exchange of another tool's file as if it had been recorded.
    ///
    /// - Parameters:
    ///   - number: its place among those of the cassette.
    ///   - now: the time of the import in seconds since 1970, for one whose file does not say when it was recorded.
    package init(_ exchange: ForeignExchange, number: Int, now: Int) {
        var response = RecordedResponse()
        response.status = exchange.status
        response.reason = exchange.reason.isEmpty ? StatusPhrase.standard(exchange.status) : exchange.reason
        response.headers = exchange.headers
        response.body = .bytes(exchange.body)
        response.trailers = exchange.trailers
        response.fault = exchange.fault
        response.detail = exchange.detail
        response.latency = exchange.latency
        let date = exchange.headers.first(named: "date").flatMap { Instant(httpDate: $0) }
        self.init(
            number: number,
            method: exchange.method,
            url: exchange.url,
            requestHeaders: exchange.requestHeaders,
            requestBody: .bytes(exchange.requestBody),
            response: response,
            time: (exchange.time ?? date).map { Int($0.seconds) } ?? now
        )
        self.removeAWSChunks()
        if exchange.lacksRequestBody { self.requestPart = .unknown }
    }
}
