import TapedeckCodings
import TapedeckCore

@testable import TapedeckRedaction

func redactor(
    _ settings: RedactionSettings = RedactionSettings(),
    environment: [String: String] = [:]
) throws -> Redactor {
    Redactor(try RedactionRules([settings], environment: environment), vault: SecretVault())
}

func exchange(
    url: String = "https://api.example.com/",
    headers: [HeaderField] = [],
    body: String = "",
    responseHeaders: [HeaderField] = [],
    responseBody: String = ""
) -> RecordedExchange {
    var response = RecordedResponse()
    response.status = 200
    response.headers = responseHeaders
    response.body = .bytes(Array(responseBody.utf8))
    return RecordedExchange(
        number: 1,
        method: "POST",
        url: url,
        requestHeaders: headers,
        requestBody: .bytes(Array(body.utf8)),
        response: response,
        time: 0
    )
}

extension RecordedBody {
    var text: String {
        guard case .bytes(let bytes) = self else { return "a file" }
        return String(decoding: bytes, as: UTF8.self)
    }

    var bytes: [UInt8] {
        guard case .bytes(let bytes) = self else { return [] }
        return bytes
    }
}

extension RecordedExchange {
    /// Everything that would be written, with content codings decoded.
    var everything: String {
        func body(_ body: RecordedBody) -> String {
            if let decoded = try? ContentCoder.decode(body.bytes, .gzip, limit: 1 << 24) {
                return String(decoding: decoded, as: UTF8.self)
            }
            return body.text
        }
        let fields = self.requestHeaders + self.response.headers + self.response.trailers
        let lines = fields.map { "\($0.name): \($0.value)" }
        return ([self.url, body(self.requestBody), body(self.response.body)] + lines).joined(separator: "\n")
    }
}

extension Redactor {
    /// A body of text with placeholders.
    func redacted(_ text: String, type: String? = nil) throws -> String {
        let headers = type.map { [HeaderField("Content-Type", $0)] } ?? []
        return try self.redact(exchange(responseHeaders: headers, responseBody: text)).response.body.text
    }

    /// The body of a request with placeholders.
    func redacted(request text: String, type: String? = nil) throws -> String {
        let headers = type.map { [HeaderField("Content-Type", $0)] } ?? []
        return try self.redact(exchange(headers: headers, body: text)).requestBody.text
    }

    func redacted(url: String) throws -> String {
        try self.redact(exchange(url: url)).url
    }

    func redacted(_ name: String, _ value: String) throws -> String {
        try self.redact(exchange(headers: [HeaderField(name, value)])).requestHeaders[0].value
    }
}
