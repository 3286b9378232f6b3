import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckRedaction

/// Texts of a cassette, redacted as the part of an exchange that they are.
extension Redactor {
    /// The text with placeholders in place of its secrets; for a body in base64 the decoded bytes are given and returned.
    ///
    /// - Throws: when a rule fails, or the text is too large to be searched.
    func redact(
        _ bytes: [UInt8],
        as kind: SecretPlace.Kind,
        isRequest: Bool
    ) throws(RedactionFailure) -> [UInt8] {
        switch kind {
        case .url:
            return ByteText.bytes(of: try self.redacted { $0.url = ByteText.string(from: bytes) }.url)
        case .setName:
            let text = ByteText.string(from: bytes)
            guard let space = text.firstIndex(of: " "), text.contains("?") else {
                return try self.body(bytes, type: "text/plain", isRequest: isRequest)
            }
            let scheme = "https://"
            let url = try self.redacted { $0.url = scheme + text[text.index(after: space)...] }.url
            return ByteText.bytes(of: String(text[...space]) + String(url.dropFirst(scheme.count)))
        case .query(let name):
            let prefix = "https://host.invalid/?\(Self.encoded(Array(name.utf8)))="
            let url = try self.redacted { $0.url = prefix + Self.encoded(bytes) }.url
            return Self.decoded(url.dropFirst(prefix.count))
        case .requestField(let name):
            return try self.field(name, bytes, \.requestHeaders)
        case .responseField(let name):
            return try self.field(name, bytes, \.response.headers)
        case .cookie(let name):
            return Array(
                try self.field("cookie", Array("\(name)=".utf8) + bytes, \.requestHeaders).dropFirst(
                    name.utf8.count + 1
                )
            )
        case .form(let name):
            let prefix = "\(Self.encoded(Array(name.utf8)))="
            let body = try self.body(
                Array((prefix + Self.encoded(bytes)).utf8),
                type: "application/x-www-form-urlencoded",
                isRequest: isRequest
            )
            return Self.decoded(ByteText.string(from: body.dropFirst(prefix.utf8.count))[...])
        case .member(let name):
            let value = JSONValue.object([JSONMember(name: name, value: .string(ByteText.string(from: bytes)))])
            let body = try self.body(value.compactText, type: "application/json", isRequest: isRequest)
            guard case .object(let members)? = try? JSONValue(parsing: body),
                case .string(let text)? = members.first?.value
            else { return bytes }
            return Self.unformed(ByteText.bytes(of: text))
        case .json:
            return try self.body(bytes, type: "application/json", isRequest: isRequest)
        case .text(let type), .base64(let type), .file(let type):
            return try self.body(bytes, type: type, isRequest: isRequest)
        case .pattern(let inner):
            guard let pattern = LiteralPattern(bytes) else {
                return try LiteralPattern.changingStretches(of: bytes) { text throws(RedactionFailure) in
                    try self.body(text, type: Self.code, isRequest: isRequest)
                }
            }
            return pattern.source(for: try self.redact(pattern.text, as: inner, isRequest: isRequest))
        }
    }

    /// A type of source code, in which secrets are found by their form alone: the names in a pattern are no evidence.
    private static let code = "text/css"

    /// Returns the ids of the rules that find something in a text, each with its place if that is in the text itself.
    func rules(in bytes: [UInt8], as kind: SecretPlace.Kind, isRequest: Bool) -> [(range: Range<Int>?, rule: String)] {
        func within(_ findings: [SecretFinding]) -> [(range: Range<Int>?, rule: String)] {
            findings.map { ($0.range, $0.rule) }
        }
        func anywhere(_ findings: [SecretFinding]) -> [(range: Range<Int>?, rule: String)] {
            findings.map { (nil, $0.rule) }
        }
        let text = ByteText.string(from: bytes)
        switch kind {
        case .requestField(let name), .responseField(let name):
            return within(self.findings(in: HeaderField(name, text)))
        case .cookie(let name):
            return anywhere(self.findings(in: HeaderField("cookie", "\(name)=\(text)")))
        case .query(let name), .form(let name):
            let form = "\(Self.encoded(Array(name.utf8)))=\(Self.encoded(bytes))"
            return anywhere(
                self.findings(
                    in: Array(form.utf8),
                    contentType: "application/x-www-form-urlencoded",
                    isRequest: isRequest
                )
            )
        case .member(let name):
            let value = JSONValue.object([JSONMember(name: name, value: .string(text))])
            return anywhere(
                self.findings(in: value.compactText, contentType: "application/json", isRequest: isRequest)
            )
        case .json: return within(self.findings(in: bytes, contentType: "application/json", isRequest: isRequest))
        case .url, .setName: return within(self.findings(in: bytes, contentType: "text/plain", isRequest: isRequest))
        case .text(let type), .base64(let type), .file(let type):
            return within(self.findings(in: bytes, contentType: type, isRequest: isRequest))
        case .pattern(let inner):
            guard let pattern = LiteralPattern(bytes) else {
                var rules: [String] = []
                _ = LiteralPattern.changingStretches(of: bytes) { text in
                    rules += self.findings(in: text, contentType: Self.code, isRequest: isRequest).map(\.rule)
                    return text
                }
                return rules.map { (nil, $0) }
            }
            return self.rules(in: pattern.text, as: inner, isRequest: isRequest).map { (nil, $0.rule) }
        }
    }

    private func redacted(_ fill: (inout RecordedExchange) -> Void) throws(RedactionFailure) -> RecordedExchange {
        var exchange = RecordedExchange(
            number: 0,
            method: "POST",
            url: "https://host.invalid/",
            requestHeaders: [],
            requestBody: .bytes([]),
            response: RecordedResponse(),
            time: 0
        )
        fill(&exchange)
        return try self.redact(exchange)
    }

    private func field(
        _ name: String,
        _ value: [UInt8],
        _ fields: WritableKeyPath<RecordedExchange, [HeaderField]>
    ) throws(RedactionFailure) -> [UInt8] {
        let exchange = try self.redacted { $0[keyPath: fields] = [HeaderField(name, ByteText.string(from: value))] }
        return ByteText.bytes(of: exchange[keyPath: fields].first?.value ?? "")
    }

    private func body(_ bytes: [UInt8], type: String?, isRequest: Bool) throws(RedactionFailure) -> [UInt8] {
        let exchange = try self.redacted { exchange in
            let headers = type.map { [HeaderField("Content-Type", $0)] } ?? []
            if isRequest {
                exchange.requestHeaders = headers
                exchange.requestBody = .bytes(bytes)
            } else {
                exchange.response.headers = headers
                exchange.response.body = .bytes(bytes)
            }
        }
        guard case .bytes(let result) = isRequest ? exchange.requestBody : exchange.response.body else { return bytes }
        return result
    }

    /// All but unreserved characters and placeholders percent-encoded (RFC 3986 section 2.1).
    private static func encoded(_ bytes: [UInt8]) -> String {
        let placeholders = bytes.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.map(\.range)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if ASCII.isUnreserved(byte) || placeholders.contains(where: { $0.contains(index) }) {
                text.append(byte)
            } else {
                text += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns a text that was decoded, with placeholders in their plain form.
    private static func unformed(_ bytes: [UInt8]) -> [UInt8] {
        SecretPlaceholder.replacing(in: bytes) { placeholder in
            var placeholder = placeholder
            if placeholder.form == .percent || placeholder.form == .json { placeholder.form = .raw }
            return Array(placeholder.text.utf8)
        }
    }

    private static func decoded(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == ASCII.percent, let high = rest.first.flatMap(ASCII.hexValue),
                let low = rest.dropFirst().first.flatMap(ASCII.hexValue)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return self.unformed(bytes)
    }
}
