import TapedeckCore
import TapedeckJSON

/// Writes HTTP Archives, version 1.2.
struct HARWriter {
    let version: String

    /// The archive of exchanges, in their order.
    func file(_ exchanges: [ExportedExchange], _ leftOut: inout [ExportRemark]) -> [UInt8] {
        var entries: [JSONValue] = []
        for exchange in exchanges { entries.append(self.entry(exchange, &leftOut)) }
        let log = JSONValue.members([
            ("version", .string("1.2")),
            ("creator", .members([("name", .string("Tapedeck")), ("version", .string(self.version))])),
            ("entries", .array(entries)),
        ])
        return JSONValue.members([("log", log)]).prettyText + [0x0A]
    }

    private func entry(_ exchange: ExportedExchange, _ leftOut: inout [ExportRemark]) -> JSONValue {
        let latency = exchange.take.latency ?? 0
        // The time of a take is that of its end.
        let start = (exchange.time ?? Instant(seconds: 0)).advanced(byMilliseconds: -Int64(latency))
        var members: [(String, JSONValue)] = [
            ("startedDateTime", .string(start.text(.rfc3339Milliseconds))),
            ("time", .whole(latency)),
            ("request", self.request(exchange, &leftOut)),
            ("response", self.response(exchange, &leftOut)),
            ("cache", .object([])),
            ("timings", .members([("send", .whole(0)), ("wait", .whole(latency)), ("receive", .whole(0))])),
        ]
        members.append(("comment", .string(exchange.set)))
        return .members(members)
    }

    private func request(_ exchange: ExportedExchange, _ leftOut: inout [ExportRemark]) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("method", .string(exchange.method)),
            ("url", .string(exchange.url.description)),
            ("httpVersion", .string("HTTP/1.1")),
            ("cookies", .array([])),
            ("headers", Self.fields(exchange.requestHeaders)),
            ("queryString", self.query(exchange.url)),
            ("headersSize", .whole(-1)),
            ("bodySize", .whole(exchange.requestBody.count)),
        ]
        guard !exchange.requestBody.isEmpty else { return .members(members) }
        let type = exchange.requestHeaders.first(named: "content-type") ?? "application/octet-stream"
        var data: [(String, JSONValue)] = [("mimeType", .string(type))]
        if let text = String(validating: exchange.requestBody, as: UTF8.self) {
            data.append(("text", .string(text)))
        } else {
            // HAR 1.2 has no form for bytes here; a draft of 1.3 has this one.
            data.append(("text", .string(String(decoding: Base64.encode(exchange.requestBody), as: UTF8.self))))
            data.append(("encoding", .string("base64")))
            leftOut.append(
                ExportRemark(exchange, "its request body is bytes, which readers of HAR 1.2 take for a text")
            )
        }
        members.append(("postData", .members(data)))
        return .members(members)
    }

    private func query(_ url: AbsoluteURL) -> JSONValue {
        .array(
            (url.query ?? "").split(separator: "&").map { pair in
                let name = pair.prefix { $0 != "=" }
                return .members([
                    ("name", .string(String(name))), ("value", .string(String(pair.dropFirst(name.count + 1)))),
                ])
            }
        )
    }

    private func response(_ exchange: ExportedExchange, _ leftOut: inout [ExportRemark]) -> JSONValue {
        let take = exchange.take
        let isFault = take.isFaultAlone
        if let fault = take.fault, !isFault {
            leftOut.append(ExportRemark(exchange, "the response is written whole: \(fault.rawValue) has no form there"))
        }
        var content: [(String, JSONValue)] = [
            ("size", .whole(exchange.body.count)), ("mimeType", .string(exchange.contentType)),
        ]
        if let text = String(validating: exchange.body, as: UTF8.self), Self.isSafe(exchange) {
            content.append(("text", .string(text)))
        } else {
            content.append(("text", .string(String(decoding: Base64.encode(exchange.body), as: UTF8.self))))
            content.append(("encoding", .string("base64")))
        }
        var members: [(String, JSONValue)] = [
            ("status", .whole(isFault ? 0 : take.status)),
            ("statusText", .string(isFault ? "" : take.reasonPhrase)),
            ("httpVersion", .string("HTTP/1.1")),
            ("cookies", .array([])),
            ("headers", Self.fields(isFault ? [] : exchange.headers)),
            ("content", .members(content)),
            ("redirectURL", .string(exchange.headers.first(named: "location") ?? "")),
            ("headersSize", .whole(-1)),
            ("bodySize", .whole(-1)),
        ]
        if isFault, let fault = take.fault { members.append(("_error", .string(Self.error(fault)))) }
        return .members(members)
    }

    /// Returns true if every reader decodes the text to these bytes: some assume another charset if none is given.
    private static func isSafe(_ exchange: ExportedExchange) -> Bool {
        let type = ASCII.lowercased(exchange.contentType)
        return exchange.body.allSatisfy { $0 < 0x80 } || type.contains("json") || type.contains("utf-8")
            || type.contains("utf8")
    }

    static func fields(_ fields: [HeaderField]) -> JSONValue {
        .array(fields.map { .members([("name", .string($0.name)), ("value", .string($0.value))]) })
    }

    /// The name that Chrome gives a failure.
    private static func error(_ fault: Fault) -> String {
        switch fault {
        case .connectionRefused: "net::ERR_CONNECTION_REFUSED"
        case .connectionReset: "net::ERR_CONNECTION_RESET"
        case .timeout, .hang: "net::ERR_TIMED_OUT"
        case .emptyResponse: "net::ERR_EMPTY_RESPONSE"
        case .tlsHandshake: "net::ERR_SSL_PROTOCOL_ERROR"
        case .nameNotResolved: "net::ERR_NAME_NOT_RESOLVED"
        case .malformedResponse, .garbage: "net::ERR_INVALID_HTTP_RESPONSE"
        default: "net::ERR_FAILED"
        }
    }
}

extension JSONValue {
    /// An object of members in their order.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(name: $0.0, value: $0.1) })
    }

    static func whole(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }
}
