import TapedeckCore
import TapedeckProtobuf

/// The header fields and cookies by which the exchanges of one method and URL are told apart.
///
/// - Fields that say what a request does beside its method count always.
/// - Fields that `Vary` of a response names select it (RFC 9110 section 12.5.5). Cookies, and fields that identify the
///   client or its connection, count only if answers differ by them.
/// - A credential counts if answers differ by it: each user gets their own data, and a request without a credential the
///   answer to one without.
/// - Any other field counts if answers to otherwise equal requests differ by it, and its values are words that a program
///   chooses.
/// - With `match: [headers]` all fields count.
struct SelectingFieldNames {
    /// The fields of an exchange, and what shows if its answer depends on them.
    struct Evidence {
        var method: String
        /// Equal for equal request bodies.
        var body: Int
        /// The values of each field by its name in lower case, and of cookies by `cookie:NAME`: of secret ones, and if the
        /// response varies by cookies, of those whose values are words.
        var fields: [String: [String]]
        /// The names that `Vary` of the response has, in lower case.
        var varied: Set<String>
        /// Equal for equal answers.
        var answer: Int
    }

    /// In the order of their names.
    let all: [String]
    /// Those that get a condition even if all requests have one value.
    let alwaysWritten: Set<String>

    /// - Parameters:
    ///   - known: the names of the conditions that the cassette's sets for this method and URL have.
    ///   - users: the secrets that belong to somebody, and not to one request.
    init(
        _ exchanges: [Evidence],
        known: Set<String>,
        users: Set<String>,
        rules: MatchingRules,
        kept: KeptHeaders
    ) {
        // A credential without a placeholder must not be written.
        let present = exchanges.reduce(into: Set<String>()) { $0.formUnion($1.fields.keys) }
        let unwritable = present.filter { name in
            guard Self.isCredential(name), !name.hasPrefix(RecordedShape.cookie) else { return false }
            return exchanges.contains { $0.fields[name]?.contains { SecretPlaceholder.all(in: $0).isEmpty } ?? false }
        }
        let varied = exchanges.reduce(into: Set<String>()) { $0.formUnion($1.varied) }
        var names = known.subtracting(unwritable)
        var written: Set<String> = []
        for name in present.subtracting(unwritable)
        where !rules.ignoredHeaders.contains(where: { ASCII.equalsIgnoringCase($0, name) }) {
            if rules.counts(.headers), RecordedCondition.counts(field: name) || kept.names(name) {
                names.insert(name)
            } else if Self.isOperation(name) || name == "content-type" && Self.typeSelects(exchanges) {
                names.insert(name)
                written.insert(name)
            } else if varied.contains(name), RecordedCondition.counts(field: name), !Self.identifiesClient(name) {
                names.insert(name)
                // A client that accepts anything says nothing about what it gets.
                let isAnything = exchanges.allSatisfy { $0.fields[name]?.allSatisfy { $0.contains("*/*") } ?? true }
                if name != "accept" || !isAnything { written.insert(name) }
            } else if varied.contains(name) && Self.identifiesClient(name) || Self.isCredential(name)
                || RecordedCondition.counts(field: name) && Self.isChosen(name, in: exchanges)
            {
                if Self.answersDiffer(exchanges, by: name, users) { names.insert(name) }
            }
        }
        self.all = names.sorted()
        self.alwaysWritten = written
    }

    /// Fields that name the operation, its target or its part of a whole: of WebDAV (RFC 4918 section 10), Content-Range of an
    /// upload (RFC 9110 section 14.5), Prefer (RFC 7240), the preflighted method and fields (WHATWG Fetch section 3.3), SOAP,
    /// overridden methods, tus, and of AWS, Azure, Google, Dropbox, Stripe and Vault.
    private static let operations: Set<String> = [
        "depth", "destination", "overwrite", "lock-token", "content-range", "prefer", "soapaction",
        "x-http-method-override", "x-http-method", "x-method-override", "upload-offset",
        "x-amz-target", "x-amz-copy-source", "x-amz-copy-source-range", "x-amz-metadata-directive",
        "x-amz-invocation-type", "x-amz-acl", "x-amz-tagging", "x-amz-storage-class", "x-amz-server-side-encryption",
        "x-ms-copy-source", "x-ms-blob-type", "x-ms-access-tier", "x-ms-delete-snapshots", "x-goog-acl",
        "x-goog-storage-class", "x-ms-range", "x-ms-page-write",
        "x-goog-copy-source", "x-goog-upload-command", "x-goog-upload-offset", "dropbox-api-arg", "stripe-account",
        "x-vault-namespace", "access-control-request-method", "access-control-request-headers",
    ]

    /// Metadata that a request gives to an object is a part of what it does, too.
    private static func isOperation(_ name: String) -> Bool {
        Self.operations.contains(name)
            || ["x-amz-meta-", "x-amz-grant-", "x-ms-meta-", "x-goog-meta-"].contains { name.hasPrefix($0) }
    }

    /// Returns true for PATCH, whose content type is the kind of change (RFC 5789 section 2), and for calls of gRPC-Web and Connect,
    /// which may share a URL with those of gRPC and of each other: their answers differ by it.
    private static func typeSelects(_ exchanges: [Evidence]) -> Bool {
        exchanges.allSatisfy { $0.method == "PATCH" }
            || exchanges.contains { exchange in
                let framing = exchange.fields["content-type"]?.first.flatMap { MessageFraming(contentType: $0) }
                return framing.map { $0 != .grpc } ?? false
            }
    }

    // MARK: Evidence

    static func evidence(of exchange: RecordedExchange, body: Int) -> Evidence {
        let varied = Set(
            exchange.response.headers.lazy.filter { $0.isNamed("vary") }.flatMap { $0.value.split(separator: ",") }
                .map { ASCII.lowercased(String($0.trimmingSpaces())) }
        )
        var fields: [String: [String]] = [:]
        for field in exchange.requestHeaders {
            let name = ASCII.lowercased(field.name)
            if name == "cookie" {
                for (cookie, value) in Self.cookies(field.value, withWords: varied.contains("cookie")) {
                    fields[RecordedShape.cookie + cookie, default: []].append(value)
                }
            } else if !Self.isCredential(name) || !Self.isSigned(field.value) {
                fields[name, default: []].append(field.value)
            }
        }
        let response = exchange.response
        var hasher = Hasher()
        hasher.combine(response.status)
        hasher.combine(response.headers.first(named: "content-type"))
        hasher.combine(response.headers.first(named: "location"))
        switch response.body {
        case .bytes(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .file(_, _, let sha256): hasher.combine(sha256)
        }
        return Evidence(
            method: exchange.method,
            body: body,
            fields: fields,
            varied: varied,
            answer: hasher.finalize()
        )
    }

    /// The cookies whose value is a secret, and with `withWords` those whose values a program chooses.
    private static func cookies(_ text: String, withWords: Bool) -> [(name: String, value: String)] {
        text.split(separator: ";").compactMap { pair in
            let pair = pair.trimmingSpaces()
            let name = pair.prefix { $0 != "=" }
            let value = String(pair.dropFirst(name.count + 1))
            let counts = !SecretPlaceholder.all(in: value).isEmpty || withWords && ChosenText.isChosen(value)
            return counts ? (String(name), value) : nil
        }
    }

    /// Schemes whose credentials differ in each request.
    private static let signatures = [
        "aws", "oauth ", "digest ", "hawk ", "sharedkey", "signature ", "negotiate ", "ntlm ", "oss", "acs",
    ]

    private static func isSigned(_ value: String) -> Bool {
        let lowered = ASCII.lowercased(value)
        return Self.signatures.contains { lowered.hasPrefix($0) }
    }

    private static func isCredential(_ name: String) -> Bool {
        var isOfRequest: Bool {
            let lowered = ASCII.lowercased(name)
            return ["csrf", "xsrf", "nonce", "sign"].contains { lowered.containsText($0) }
        }
        if name.hasPrefix(RecordedShape.cookie) { return !isOfRequest }
        return name == "authorization" || name != "proxy-authorization" && SecretMasking.hides(name) && !isOfRequest
    }

    /// Parts of names of fields that differ between equal requests.
    private static let ofRequest = [
        "retry", "attempt", "count", "time", "date", "elapsed", "duration", "sequence", "request-id", "requestid",
        "trace", "span", "correlation", "idempotency", "nonce", "hash", "digest", "md5", "checksum", "priority",
        "referer", "range",
    ]

    /// Returns true for a field whose values a program chooses, such as a language, a tenant or an action: no random values,
    /// times or numbers.
    private static func isChosen(_ name: String, in exchanges: [Evidence]) -> Bool {
        guard !name.hasPrefix(RecordedShape.cookie), !Self.identifiesClient(name),
            !SelectingFields.names.contains(name), !Self.ofRequest.contains(where: name.containsText)
        else { return false }
        return exchanges.allSatisfy { exchange in
            exchange.fields[name]?.allSatisfy { value in
                // A boundary may be a word.
                ChosenText.isChosen(value) && SecretPlaceholder.all(in: value).isEmpty
                    && !value.containsText("boundary=")
            } ?? true
        }
    }

    private static func identifiesClient(_ name: String) -> Bool {
        name == "user-agent" || name == "origin" || name == "referer" || name == "cookie" || name.hasPrefix("sec-")
    }

    /// As many requests may each have a credential of their own before it is taken for one that each request has anew, unless
    /// the credentials occur elsewhere, too.
    private static let userLimit = 3

    /// Returns true if requests with one body and different values of a field got different answers. A value that each
    /// request has anew, such as a session's that moves on, proves nothing.
    private static func answersDiffer(_ exchanges: [Evidence], by name: String, _ users: Set<String>) -> Bool {
        let values = exchanges.compactMap { $0.fields[name] }
        let different = Set(values).count
        guard different > (values.count < exchanges.count ? 0 : 1),
            different <= Self.userLimit || different < values.count
                || values.joined().allSatisfy({ value in
                    let names = SecretPlaceholder.names(in: ByteText.bytes(of: value))
                    return !names.isEmpty && names.isSubset(of: users)
                })
        else { return false }
        var answers: [Int: [[String]?: [Int]]] = [:]
        for exchange in exchanges {
            answers[exchange.body, default: [:]][exchange.fields[name], default: []].append(exchange.answer)
        }
        return answers.values.contains { byValue in
            byValue.values.contains { Set($0) != byValue.values.first.map { Set($0) } }
        }
    }
}
