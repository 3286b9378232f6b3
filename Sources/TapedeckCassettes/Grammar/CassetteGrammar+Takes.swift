import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// A take as a cassette has it: the status of a call has keys of its own.
struct TakeEntry: Sendable {
    var take: Take
    /// The status of a call as it is written, with the fields beside it.
    let status: CallStatus?
    /// While reading: true if there is a `status`, and if there are keys of a call.
    var hasStatus = false
    var isCall = false

    init(_ take: Take) {
        self.take = take
        self.status = CallStatus(take)
    }

    fileprivate init() {
        (self.take, self.status) = (Take(), nil)
    }

    /// The header fields, with a `Date` that equals the time in `recorded` as that word.
    fileprivate var headers: [HeaderField] {
        var fields = self.status?.headers ?? self.take.headers
        guard let date = fields.firstIndex(where: { $0.isNamed("date") }),
            fields[date].value == self.take.dateWhenRecorded
        else { return fields }
        fields[date].value = Take.recordedDate
        return fields
    }
}

extension CassetteGrammar {
    static let take = Mapping<TakeEntry>(
        "take",
        "a take",
        rules: [.some(["status", "grpcStatus", "messages", "fault"]), .with("urlError", ["fault"])]
    ) {
        Key("status", .integer(200...999)) { reader, entry, owner in
            owner.hasStatus = true
            owner.take.status = reader.readStatus(entry.value)
        } write: { writer, owner in
            if !owner.take.isFaultAlone { writer.pair("status") { $0.yaml.int(owner.take.status) } }
        }
        .means("200 to 999; required without `fault` or a gRPC key")
        Key("reason", .text) { reader, entry, owner in
            owner.take.reason = reader.text(entry.value, "reason")
        } write: { writer, owner in
            guard !owner.take.isFaultAlone, let reason = owner.take.reason else { return }
            writer.pair("reason") { $0.yaml.scalar(reason) }
        }
        .means("the phrase; may be empty")
        Key("fault", .fault) { reader, entry, owner in
            guard let fault = reader.readFault(entry.value) else { return }
            (owner.take.fault, owner.take.faultOptions) = (fault.name, fault.options)
        } write: { writer, owner in
            guard let fault = FaultEntry(owner.take) else { return }
            writer.key("fault")
            writer.write(fault)
        }
        .means("[Faults](#faults)")
        Key(
            "times",
            \.take.times,
            .integer(
                1...1_000_000,
                or: "`times` is the number of requests in a row that the take answers, from 1 to 1000000"
            ),
            usually: 1
        )
        .means("the number of requests in a row that the take answers, 1 by default")
        Key("urlError", \.take.urlError, .urlError)
            .means("[Faults](#faults)")
        Key("detail", \.take.detail, .text)
            .means("text in a fault's 502 or 504")
        Key("recorded", \.take.recorded, .recorded)
            .means("local time of recording with its zone, number of the request in it, response time, times of pieces")
        Key("request", .mapping("sentRequest")) { reader, entry, owner in
            owner.take.request = reader.readTakeRequest(entry.value)
        } write: { writer, owner in
            guard let request = owner.take.request, request != Take.Request() else { return }
            writer.key("request")
            writer.block { $0.write(request, by: Self.sentRequest) }
        }
        .means("the recorded request, not matched: `url` if the set's is not exact, `headers`, `body` or `messages`")
        Key("interim", \.take.interim, .interim, usually: [])
            .means("1xx responses sent first, each with `status` (102 to 199), `reason`, `headers`")
        Key("headers", .fields) { reader, entry, owner in
            owner.take.headers = reader.readFields(entry.value, "headers")
        } write: { writer, owner in
            writer.write(owner.headers, as: "headers")
        }
        .means("[below](#headers-and-trailers)")
        Key("endsAtClose", \.take.endsAtClose, .bool, usually: false)
            .means("`true`: the connection's end ends the body")
        Key("protocol", \.take.isHTTP2, .http2, usually: false)
            .means("`h2`, if recorded over [HTTP/2](http2.md#recording)")
        Key("pieces", \.take.pieces, .pieces)
            .means("[Streams](#streams)")
        Key("body", .mapping("body")) { reader, entry, owner in
            owner.take.body = reader.readBody(entry.value)
        } write: { writer, owner in
            writer.write(owner.take.body)
        }
        .means("[below](#bodies)")
        Key("messages", .list(.mapping("message"))) { _, _, owner in
            owner.isCall = true
        } write: { writer, owner in
            if case .inline(let body) = owner.take.body, let list = body.messages {
                writer.write(list)
            } else if let status = owner.status, owner.take.body == .none, status.headers == owner.take.headers {
                // Without messages the status would stand in the head.
                writer.pair("messages") { $0.yaml.raw("[]") }
            }
        }
        .means("[gRPC](grpc.md#answers)")
        Self.ofCall("grpcStatus", .text) { writer, owner in
            if let status = owner.status { writer.pair("grpcStatus") { $0.yaml.scalar(status.code.description) } }
        }
        Self.ofCall("grpcMessage", .text) { writer, owner in
            if let message = owner.status?.message { writer.pair("grpcMessage") { $0.yaml.scalar(message) } }
        }
        Self.ofCall("grpcDetails", .json) { writer, owner in
            guard let details = owner.status?.details else { return }
            writer.key("grpcDetails")
            writer.json(details)
        }
        Self.ofCall("endsAfter", .integer(0...Int.max)) { writer, owner in
            if let count = owner.take.endsAfter { writer.pair("endsAfter") { $0.yaml.int(count) } }
        }
        Key("trailers", .fields) { reader, entry, owner in
            owner.take.trailers = reader.readFields(entry.value, "trailers")
        } write: { writer, owner in
            writer.write(owner.status?.trailers ?? owner.take.trailers, as: "trailers")
        }
        .means("[below](#headers-and-trailers)")
    }

    /// A key of an answer to a call, which is read in the light of the others.
    private static func ofCall(
        _ name: StaticString,
        _ shape: Shape,
        write: @escaping Key<TakeEntry>.Write
    ) -> Key<TakeEntry> {
        Key(name, shape, read: { _, _, owner in owner.isCall = true }, write: write)
            .means("[gRPC](grpc.md#answers)")
    }

    static let interim = Mapping<Take.Interim>("interim", "an interim response", rules: [.all(["status"])]) {
        Key(
            "status",
            \.status,
            .integer(102...199, or: "the status of an interim response is a number from 102 to 199"),
            usually: 0
        )
        .means("102 to 199")
        Key("reason", \.reason, .text)
            .means("the phrase; may be empty")
        Key("headers", \.headers, .fields, usually: [])
            .means("[below](#headers-and-trailers)")
    }

    /// The request that was recorded.
    static let sentRequest = Mapping<Take.Request>(
        "sentRequest",
        "what was sent",
        rules: [.atMostOne(["body", "messages"])]
    ) {
        Key("url", \.url, .wholeURL)
            .means("its URL, where the set has several")
        Key("headers", \.headers, .fields, usually: [])
            .means("its header fields")
        Key("body", .mapping("body")) { reader, entry, request in
            request.body = reader.readBody(entry.value)
        } write: { writer, request in
            writer.write(request.body)
        }
        .means("its body")
        Key("messages", .list(.mapping("message")), late: true) { reader, entry, request in
            request.body = reader.readMessages(entry.value, request.headers, isAnswer: false)
        } write: { writer, request in
            if case .inline(let body) = request.body, let list = body.messages { writer.write(list) }
        }
        .means("its [messages](grpc.md#answers)")
    }
}

extension Shape {
    fileprivate static let fields = Shape.either([
        .list(.map(.oneOrList(.text))), .map(.oneOrList(.text)), .null,
    ])
}

extension Codec where Value == [HeaderField] {
    fileprivate static var fields: Self {
        Codec(.fields, read: { $0.readFields($1, $2) }, write: { $0.write($1) })
    }
}

extension Codec where Value == [Take.Interim] {
    fileprivate static var interim: Self {
        .list(
            of: Codec<Take.Interim>(
                .mapping("interim"),
                read: { reader, node, _ in
                    var interim = Take.Interim(status: 0, headers: [])
                    guard reader.read(node, by: CassetteGrammar.interim, into: &interim) else { return nil }
                    if node["status"] == nil { reader.error(node, "an interim response needs `status`") }
                    return interim.status == 0 ? nil : interim
                },
                write: { $0.write($1, by: CassetteGrammar.interim) }
            )
        )
    }
}

extension Codec where Value == Bool {
    /// True for `h2`.
    fileprivate static var http2: Self {
        Codec(
            .words(["h2"]),
            read: { reader, node, _ in
                if node.scalarEquals("h2") { return true }
                reader.error(
                    node,
                    "`protocol` is h2, for an answer that was recorded over HTTP/2; leave it out for any other"
                )
                return nil
            },
            text: { _ in "h2" }
        )
    }
}

extension Codec where Value == String {
    fileprivate static var recorded: Self {
        Codec(read: { reader, node, _ in reader.readRecorded(node) }, text: { $0 })
    }

    fileprivate static var wholeURL: Self {
        Codec(
            .matching("^[Hh][Tt][Tt][Pp][Ss]?://"),
            read: { reader, node, name in
                guard let url = reader.text(node, name) else { return nil }
                if AbsoluteURL(url) == nil {
                    reader.error(node, "`url` is a whole URL, such as https://api.example.com/users")
                }
                return url
            },
            text: { $0 }
        )
    }
}

extension CassetteWriter {
    fileprivate mutating func write(_ fields: [HeaderField], as name: StaticString) {
        guard !fields.isEmpty else { return }
        self.key(name)
        self.write(fields)
    }

    fileprivate mutating func write(_ fields: [HeaderField]) {
        self.items(fields) { writer, field in
            writer.line { writer in
                writer.yaml.scalar(field.name)
                writer.yaml.raw(": ")
                writer.yaml.scalar(field.value)
            }
        }
    }
}

extension CassetteReader {
    mutating func readTake(_ node: YAMLNode) -> Take? {
        var entry = TakeEntry()
        guard self.read(node, by: CassetteGrammar.take, into: &entry) else { return nil }
        var take = entry.take
        var hasStatus = entry.hasStatus
        if entry.isCall {
            hasStatus = hasStatus || take.fault?.hasResponse ?? true
            self.readCall(node, into: &take)
        }
        if let date = take.headers.firstIndex(where: { $0.value == Take.recordedDate && $0.isNamed("date") }),
            let text = take.dateWhenRecorded
        {
            take.headers[date].value = text
        }
        if take.pieces != nil, let pieces = node["pieces"] { self.checkPieces(of: take, pieces) }
        // An unknown name has been spoken of.
        let fault = take.fault != nil || !hasStatus ? node["fault"] : nil
        if take.urlError != nil, let urlError = node["urlError"] {
            self.checkURLError(of: take, hasFault: node["fault"] != nil, urlError)
        }
        if let fault {
            self.checkFault(of: take, hasStatus: hasStatus, node, fault: fault)
        } else if !hasStatus {
            self.error(node, "a take needs a `status`, such as 200, a `grpcStatus`, or a `fault`")
        }
        return take
    }

    fileprivate mutating func readRecorded(_ node: YAMLNode) -> String? {
        guard let text = self.text(node, "recorded") else { return nil }
        if Instant(rfc3339: Take.time(inRecorded: text)) == nil {
            self.warn(
                node,
                "`recorded` does not begin with a time such as 2026-11-21T10:00:00Z, so the take has no age and its "
                    + "dates do not move"
            )
        }
        return text
    }

    fileprivate mutating func readStatus(_ node: YAMLNode) -> Int {
        guard let status = node.int, (200...999).contains(status) else {
            self.error(node, "`status` is a number from 200 to 999; 1xx responses go under `interim`")
            return 200
        }
        return status
    }

    /// A list of one-pair mappings keeps order and duplicates; a plain mapping suffices without them.
    fileprivate mutating func readFields(_ node: YAMLNode, _ what: String) -> [HeaderField] {
        var fields: [HeaderField] = []
        fields.reserveCapacity(node.count)
        switch node.kind {
        case .sequence:
            for item in node.items {
                guard self.expectMapping(item, "each of \(what)") else { continue }
                for (name, value) in item.pairs { self.readField(name, value, into: &fields) }
            }
        case .mapping:
            for (name, value) in node.pairs { self.readField(name, value, into: &fields) }
        case .scalar:
            let form =
                self.notation == .yaml
                ? "a list of `- name: value`" : "a JSON object, or an array of objects in their order"
            if !node.isNull { self.error(node, "`\(what)` is \(form)") }
        }
        return fields
    }

    fileprivate mutating func readField(_ nameNode: YAMLNode, _ valueNode: YAMLNode, into fields: inout [HeaderField]) {
        let name = nameNode.string
        guard self.checkHeaderName(nameNode) else { return }
        let values = valueNode.kind == .sequence ? Array(valueNode.items) : [valueNode]
        for node in values {
            guard let value = self.text(node, name, allowsEmpty: true) else { continue }
            guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
                self.error(node, "the value of \(name) holds a line break or another control character")
                continue
            }
            fields.append(HeaderField(name, value))
        }
    }

    @discardableResult
    mutating func checkHeaderName(_ node: YAMLNode) -> Bool {
        let name = node.string
        if !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) { return true }
        self.error(node, "\"\(name)\" is no header name")
        return false
    }

    fileprivate mutating func readTakeRequest(_ node: YAMLNode) -> Take.Request? {
        var request = Take.Request()
        return self.read(node, by: CassetteGrammar.sentRequest, into: &request) ? request : nil
    }
}
