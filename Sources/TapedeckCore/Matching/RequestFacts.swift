import TapedeckProtobuf

/// The parts of a request that the conditions of a tape need: each is parsed once, when it is first needed.
package final class RequestFacts {
    let method: String
    let matchRequest: MatchRequest
    let state: [String: String]
    let scratch: PatternScratch
    private let urlStart: Int
    private let pathStart: Int
    private var projections: [URLProjection: [UInt8]] = [:]
    /// The request with placeholders in place of its secrets, for conditions with placeholders; all others use the
    /// request as received. `nil` if no condition has a placeholder.
    private(set) var redacted: RequestFacts?

    /// - Parameter names: what the secrets of the request are called.
    convenience init(
        _ matchRequest: MatchRequest,
        secrets names: SecretBindings.Attempt?,
        state: [String: String],
        scratch: PatternScratch
    ) {
        self.init(matchRequest, state: state, scratch: scratch)
        if let names, let redacted = matchRequest.redacted {
            self.redacted = RequestFacts(redacted.matchRequest(names), state: state, scratch: scratch)
        }
    }

    /// The request as reports show it.
    var shown: RequestFacts { self.redacted ?? self }

    /// Returns the request that a condition is compared with.
    func view(asksForSecrets: Bool) -> RequestFacts {
        asksForSecrets ? self.shown : self
    }

    package init(_ matchRequest: MatchRequest, state: [String: String] = [:], scratch: PatternScratch) {
        let bytes = matchRequest.key.bytes
        let space = bytes.firstIndex(of: ASCII.space) ?? bytes.endIndex
        self.matchRequest = matchRequest
        self.method = ByteText.string(from: bytes[..<space])
        self.urlStart = min(space + 1, bytes.count)
        var slashes = 0
        self.pathStart =
            bytes[self.urlStart...].firstIndex { byte in
                if byte == ASCII.slash { slashes += 1 }
                return slashes == 3
            } ?? bytes.endIndex
        self.state = state
        self.scratch = scratch
    }

    var key: RequestKey { self.matchRequest.key }
    var fields: [HeaderField] { self.matchRequest.fields }
    var body: ObservedBody? { self.matchRequest.body }

    /// The sets that could not be judged because matching them took too long.
    private(set) var cutOff: Set<Int> = []
    private var unknownBodies = 0

    /// The number of undecided comparisons so far: a pattern was cut off, or a body is unknown.
    var doubts: Int { self.scratch.cutOffs + self.unknownBodies + (self.redacted?.unknownBodies ?? 0) }

    /// Notes that a condition needs a body that is not known, or too large to keep.
    func noteUnknownBody() {
        self.unknownBodies += 1
    }

    /// A pattern of a set was cut off, if that is why it could not be judged.
    func noteDoubt(_ entry: Int) {
        if self.scratch.cutOffs > 0 { self.cutOff.insert(entry) }
    }

    /// Returns true if a set answers. One that cannot be judged does not, also where a `not` would turn "no" into
    /// "yes".
    func judge(_ entry: Int, _ answers: () -> Bool) -> Bool {
        let before = self.doubts
        let cutOffs = self.scratch.cutOffs
        let result = answers()
        if self.scratch.cutOffs > cutOffs { self.cutOff.insert(entry) }
        return result && self.doubts == before
    }

    // MARK: URL

    /// The canonical URL.
    var url: ArraySlice<UInt8> { self.key.bytes[self.urlStart...] }
    /// Scheme, host and port.
    var origin: ArraySlice<UInt8> { self.key.bytes[self.urlStart..<self.pathStart] }
    var path: ArraySlice<UInt8> { self.key.bytes[self.pathStart...].prefix { $0 != ASCII.question } }

    /// `host`, or `host:port` where the port is not the scheme's own.
    lazy var authority: String = {
        let slashes = self.origin.firstIndex(of: ASCII.slash).map { $0 + 2 } ?? self.origin.endIndex
        return ByteText.string(from: self.origin[min(slashes, self.origin.endIndex)...])
    }()

    /// The host without brackets, and the port, even the scheme's default.
    lazy var hostAndPort: (host: String, port: Int) = {
        let own = self.origin.starts(with: "https:".utf8) ? 443 : 80
        let split = Origin.split(authority: self.authority)
        return (split?.host ?? self.authority, split?.port ?? own)
    }()

    var host: String { self.hostAndPort.host }

    /// Names and values, percent-encoding undone, in canonical order.
    lazy var query: [(name: String, value: String)] = QueryText.parameters(of: self.url)

    func queryValues(_ name: String, ignoringCase: Bool = false) -> [String] {
        self.query.compactMap { parameter in
            let isNamed =
                ignoringCase ? ASCII.equalsIgnoringCase(parameter.name, name) : parameter.name == name
            return isNamed ? parameter.value : nil
        }
    }

    func projected(_ projection: URLProjection) -> [UInt8] {
        if let found = self.projections[projection] { return found }
        let made = projection.apply(to: self.url, path: self.pathStart)
        self.projections[projection] = made
        return made
    }

    // MARK: Header

    func headerValues(_ name: String) -> [String] {
        self.fields.compactMap { $0.isNamed(name) ? $0.value : nil }
    }

    /// Names and values of the Cookie fields (RFC 6265 section 4.2.1).
    lazy var cookies: [(name: String, value: String)] = self.headerValues("cookie").flatMap { value in
        value.split(separator: ";").map { pair in
            let pair = pair.trimmingSpaces()
            let name = pair.prefix { $0 != "=" }
            return (String(name), String(pair.dropFirst(name.count + 1)))
        }
    }

    func cookieValues(_ name: String) -> [String] {
        self.cookies.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The fields by which HTTP itself selects what a response contains.
    lazy var selectingFields = SelectingFields(of: self.fields)

    // MARK: Body

    var bodyBytes: [UInt8]? { self.body?.bytes }

    /// The body in its canonical spelling; `nil` if it is unknown, or its type has none.
    lazy var canonicalBody: [UInt8]? = self.bodyBytes.flatMap { CanonicalBody.of($0, self.fields) }

    private var counting: (ignored: IgnoredFields, body: [UInt8]?)?

    /// The body in its canonical spelling without some places.
    func canonicalBody(ignoring ignored: IgnoredFields) -> [UInt8]? {
        if let counting, counting.ignored == ignored { return counting.body }
        let made = self.bodyBytes.flatMap { CanonicalBody.of($0, self.fields, ignoring: ignored) }
        self.counting = (ignored, made)
        return made
    }

    /// The root of the body as XML; `nil` if it is not XML, or unknown.
    lazy var xml: XMLElement? = self.bodyBytes.flatMap(XMLParser.parse)

    /// The body as JSON; `nil` if it is not JSON, or unknown.
    lazy var json: JSONValue? = self.bodyBytes.flatMap { bytes in
        if let type = self.messageType { return type.json(of: bytes) }
        return self.isBinaryMessage || bytes.isEmpty ? nil : try? JSONValue(parsing: bytes)
    }

    /// The JSON that says all of the body; `nil` also for a message with fields that its descriptor does not know.
    lazy var wholeJSON: JSONValue? =
        if let type = self.messageType { self.bodyBytes.flatMap { type.wholeJSON(of: $0) } } else { self.json }

    /// The type of a message of protobuf, if it is known.
    private var messageType: MessageType?
    /// True for a message of protobuf.
    private var isBinaryMessage = false

    /// Returns true if what is known of the body is enough for a condition on it.
    func knowsBody(for condition: Condition) -> Bool {
        guard let body = self.body, body.bytes != nil else { return false }
        return !body.isPart || condition.isAboutMessages
    }

    /// True if more messages of the call are to come.
    var hasPartOfBody: Bool { self.body?.isPart ?? false }

    /// The framing of a call; `nil` for any other request.
    lazy var framing: MessageFraming? = MessageFraming(self.fields)

    /// The messages as made for a type: each cassette has descriptors of its own.
    private var messages: (type: MessageType?, messages: [RequestFacts]?)?

    /// The messages of a call, each as a request with the message as its body; `nil` if the body has none.
    ///
    /// - Parameter type: the type of the messages, for conditions on JSON.
    func messages(_ type: MessageType?) -> [RequestFacts]? {
        if let known = self.messages, known.type == type { return known.messages }
        let codec = MessageCodec(self.fields, type: type)
        let made = self.framing.flatMap { framing in
            self.bodyBytes.flatMap { framing.messages(of: $0) }.map { messages in
                messages.map { self.message($0.bytes, codec) }
            }
        }
        self.messages = (type, made)
        return made
    }

    private func message(_ bytes: [UInt8], _ codec: MessageCodec) -> RequestFacts {
        var request = self.matchRequest
        request.body = ObservedBody(bytes: bytes, sha256: "")
        let message = RequestFacts(request, state: self.state, scratch: self.scratch)
        // Most conditions compare bytes or fields, so its JSON is made on demand.
        if case .protobuf(let type) = codec { (message.isBinaryMessage, message.messageType) = (true, type) }
        return message
    }

    lazy var text: String? = self.bodyBytes.map { ByteText.string(from: $0) }

    lazy var form: [(name: String, value: String)] =
        self.bodyBytes.map { bytes in bytes.withUnsafeBytes { FormBody.parse($0) } } ?? []

    lazy var multipart: MultipartBody? = self.bodyBytes.flatMap { bytes in
        let contentType = self.headerValues("content-type").first ?? ""
        return bytes.withUnsafeBytes { MultipartBody($0, contentType: contentType) }
    }

    lazy var graphQL: [GraphQLRequest] = self.graphQLRequests()

    /// GraphQL over HTTP has its query in a JSON body, or in the URL of a GET, where libraries write a space as a plus
    /// sign, as in a form.
    private func graphQLRequests() -> [GraphQLRequest] {
        if let json = self.json { return GraphQLRequest.operations(in: json) }
        guard let question = self.url.firstIndex(of: ASCII.question) else { return [] }
        let parameters = Array(self.url[(question + 1)...]).withUnsafeBytes { FormBody.parse($0) }
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        guard let query = value("query") else { return [] }
        var members = [JSONMember(name: "query", value: .string(query))]
        if let name = value("operationName") { members.append(JSONMember(name: "operationName", value: .string(name))) }
        if let text = value("variables"), let value = try? JSONValue(parsing: Array(text.utf8)) {
            members.append(JSONMember(name: "variables", value: value))
        }
        return GraphQLRequest.operations(in: .object(members))
    }

    private var identities: [JSONComparison: BodyMatcher.Identity] = [:]

    /// The identity of the JSON body under a comparison.
    func identity(_ comparison: JSONComparison) -> BodyMatcher.Identity? {
        if let found = self.identities[comparison] { return found }
        guard let json = self.wholeJSON else { return nil }
        let made = BodyMatcher.Identity.json(json, comparison)
        self.identities[comparison] = made
        return made
    }
}

@available(*, unavailable)
extension RequestFacts: Sendable {}
