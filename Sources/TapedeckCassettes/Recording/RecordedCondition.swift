import TapedeckCore
import TapedeckProtobuf
import TapedeckRedaction

/// The conditions that tell the exchanges of one method and URL apart.
enum RecordedCondition {
    // MARK: Bodies

    /// The condition that just the exchange's body meets, or one that counts as the same; `nil` for a body that cannot be
    /// compared: a multipart body larger than ``BodyStorage/decodedLimit``.
    static func body(
        of exchange: RecordedExchange,
        rules: MatchingRules,
        storage: BodyStorage
    ) throws -> (condition: BodyMatcher, identity: BodyMatcher.Identity?)? {
        guard let condition = try Self.body(of: exchange, rules, storage) else { return nil }
        return (condition, condition.recordedIdentity(rules))
    }

    /// Returns false for a request that was not complete before its answer was, of which no message can be compared.
    static func knowsBody(of exchange: RecordedExchange, storage: BodyStorage) -> Bool {
        switch exchange.requestPart {
        case .whole: true
        case .unknown: false
        case .firstMessages, .sentMessages: Self.firstMessages(of: exchange, storage) != nil
        }
    }

    private static func firstMessages(of exchange: RecordedExchange, _ storage: BodyStorage) -> MessagesMatcher? {
        guard case .bytes(let bytes) = exchange.requestBody else { return nil }
        let type = storage.method(of: exchange)?.input
        let isOpen = exchange.requestPart == .firstMessages
        guard !bytes.isEmpty else { return MessagesMatcher([], type: type, isOpen: isOpen) }
        var matcher = storage.messages(bytes, exchange.requestHeaders, type)?.condition
        matcher?.isOpen = isOpen
        return matcher
    }

    private static func body(
        of exchange: RecordedExchange,
        _ rules: MatchingRules,
        _ storage: BodyStorage
    ) throws -> BodyMatcher? {
        if exchange.requestPart == .firstMessages || exchange.requestPart == .sentMessages {
            return Self.firstMessages(of: exchange, storage).map { .messages($0) }
        }
        let bytes: [UInt8]
        switch exchange.requestBody {
        case .bytes(let inMemory): bytes = inMemory
        case .file(let name, let size, let sha256):
            guard BoundaryEraser(exchange.requestHeaders) != nil else { return .sha256(sha256) }
            guard size <= BodyStorage.decodedLimit else { return nil }
            let content = CanonicalBody.withoutBoundary(try storage.journalBody(name), exchange.requestHeaders)
            return .sha256(storage.digest(content))
        }
        let fields = exchange.requestHeaders
        // A condition is written in the cassette itself, so no file is wanted.
        let stored = try storage.trial.store(
            exchange.requestBody,
            headers: exchange.requestHeaders,
            type: storage.method(of: exchange)?.input,
            label: ""
        )
        switch stored {
        case .none:
            return .bytes(InlineBody(form: .text, content: []))
        case .inline(var body):
            if let messages = body.messages { return .messages(messages.condition) }
            // Matching uses the decoded body.
            body.coding = nil
            // JSON is JSON whatever its type: `curl -d` calls it a form.
            let isJSON = body.form == .json || body.isText && Self.isObjectOrList(body.content)
            if isJSON, body.form == .text { body = InlineBody(form: .json, content: body.content) }
            guard isJSON else {
                if Self.isXML(fields), body.form == .text, body.content == bytes, BodyMatcher.xml(body).identity != nil
                {
                    return .xml(body)
                }
                guard let spelling = CanonicalBody.of(body.decoded, fields) else { return .bytes(body) }
                return .bytes(InlineBody(form: body.form, content: spelling))
            }
            return Self.isPlainJSON(body, rules)
                ? .json(body) : .bytes(InlineBody(form: .text, content: body.decoded))
        case .file(let file):
            // A digest contains no placeholders, and tells nothing of fields and parts.
            let hasParts = CanonicalBody.of(bytes, fields) != nil || fields.hasProtobuf || fields.isOfGit
            let isPlain = !hasParts || bytes.count > Self.structuredLimit
            guard !isPlain || bytes.withUnsafeBytes({ SecretPlaceholder.mayBe(in: $0) }), file.coding == nil else {
                return .sha256(storage.digest(CanonicalBody.withoutBoundary(bytes, fields)))
            }
            let isText = String(validating: bytes, as: UTF8.self) != nil
            let spelling = CanonicalBody.of(bytes, fields) ?? bytes
            return .bytes(InlineBody(form: isText ? .text : .base64, content: spelling))
        }
    }

    /// Larger forms, multipart bodies, messages of protobuf and pushes of git have a digest as their condition. 64 KiB.
    private static let structuredLimit = 64 << 10

    private static func isXML(_ fields: [HeaderField]) -> Bool {
        let type = fields.mediaType
        guard type.hasSuffix("/xml") || type.hasSuffix("+xml") else { return false }
        let parameters = ASCII.lowercased(fields.first(named: "content-type") ?? "").filter { $0 != "\"" }
        return !parameters.contains("charset=") || parameters.contains("charset=utf-8")
            || parameters.contains("charset=us-ascii")
    }

    /// Returns true for a text that is a JSON object or list.
    private static func isObjectOrList(_ text: [UInt8]) -> Bool {
        guard let first = text.first(where: { $0 > ASCII.space }), first == 0x7B || first == 0x5B else {
            return false
        }
        return (try? JSONValue(parsing: text)) != nil
    }

    /// Returns true if it is JSON without special meaning: a text such as `{{any.uuid}}` that a client really sent
    /// would be read as a placeholder.
    private static func isPlainJSON(_ body: InlineBody, _ rules: MatchingRules) -> Bool {
        guard let value = try? JSONValue(parsing: body.content) else { return false }
        return BodyMatcher.json(body, rules.jsonComparison).identity != nil
            && JSONExpectation.unknownPlaceholders(in: value).isEmpty
    }

    /// Equal for request bodies that are the same, byte for byte.
    static func rawBody(of exchange: RecordedExchange, digest: Digest) -> [UInt8] {
        let part = exchange.requestPart == .whole ? [] : [UInt8(exchange.requestPart.rawValue)]
        return switch exchange.requestBody {
        case .bytes(let bytes): part + (bytes.count <= 256 ? bytes : Array(digest(bytes).utf8))
        case .file(_, _, let sha256): part + Array(sha256.utf8)
        }
    }

    // MARK: Header fields

    /// Fields that never separate sets, even if header fields count: they belong to one connection or one moment,
    /// identify the client, or are secrets, which are never written.
    private static let uncountedFields: Set<String> = [
        "host", "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "content-length",
        "accept-encoding", "user-agent", "date", "via", "x-forwarded-for", "traceparent", "tracestate",
        "x-request-id", "x-tapedeck-session", "authorization", "cookie", "proxy-authorization", "if-none-match",
        "if-modified-since", "grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "connect-timeout-ms",
    ]

    /// - Parameter name: in any case.
    static func counts(field name: String) -> Bool {
        let name = ASCII.lowercased(name)
        return !Self.uncountedFields.contains(name) && !SecretMasking.hides(name)
    }

    /// The names of the fields in which some differ.
    static func differing(_ headers: [[String: [String]]]) -> Set<String> {
        guard let first = headers.first else { return [] }
        var names: Set<String> = []
        for fields in headers {
            for (name, values) in fields where first[name] != values { names.insert(name) }
            for name in first.keys where fields[name] == nil { names.insert(name) }
        }
        return names
    }
}
