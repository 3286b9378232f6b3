import TapedeckCore
import TapedeckYAML

/// A fault as a cassette has it: a name, or that with details.
struct FaultEntry: Sendable {
    var name: Fault
    var options: FaultOptions

    init(_ name: Fault, _ options: FaultOptions = .none) {
        (self.name, self.options) = (name, options)
    }

    init?(_ take: Take) {
        guard let fault = take.fault else { return nil }
        self.init(fault, take.faultOptions)
    }
}

extension CassetteGrammar {
    static let fault = Mapping<FaultEntry>("fault", "a fault", rules: [.all(["name"])]) {
        Key(
            "name",
            .words(Fault.allCases.map(\.rawValue)),
            write: { writer, fault in writer.pair("name") { $0.yaml.scalar(fault.name.rawValue) } }
        )
        .means("a fault")
        Key("code", \.options.code, .errorCode)
            .means(
                "HTTP/2 error code or number of `truncatedBody`, `streamReset` (default `INTERNAL_ERROR`), `goAway`, "
                    + "`goAwayRefused` (`NO_ERROR`)"
            )
        Key("after", \.options.after, .faultPoint)
            .means(
                "bytes of the body before the fault, or `2 messages` of gRPC, for `truncatedBody` (default all), "
                    + "`resetDuringBody`, `malformedChunk`, `stalledBody` (half)"
            )
        Key("lastStream", \.options.lastStream, .integer(0...Int(Int32.max)))
            .means("for `goAwayRefused`, the last accepted stream; default and maximum: the one before the request")
    }
}

extension Shape {
    static let fault = Shape.either([.words(Fault.allCases.map(\.rawValue)), .mapping("fault")])
}

extension Codec where Value == HTTP2ErrorCode {
    fileprivate static var errorCode: Self {
        Codec(
            read: { reader, node, _ in
                let text = node.kind == .scalar ? node.string : ""
                if let code = HTTP2ErrorCode(name: text) { return code }
                reader.error(
                    node,
                    "`code` is an error code of HTTP/2, such as CANCEL, REFUSED_STREAM or ENHANCE_YOUR_CALM, or a number"
                        + CassetteReader.hint(text, among: HTTP2ErrorCode.names)
                )
                return nil
            },
            text: \.name
        )
    }
}

extension Codec where Value == FaultOptions.Point {
    fileprivate static var faultPoint: Self {
        Codec(
            .either([.integer(0...Int.max), .matching("^[0-9]+ messages?$")]),
            read: { reader, node, _ in
                if let count = node.int, count >= 0 { return .bytes(count) }
                let words = node.kind == .scalar ? node.string.split(separator: " ") : []
                if words.count == 2, words[1] == "messages" || words[1] == "message", let count = Int(words[0]),
                    count >= 0
                {
                    return .messages(count)
                }
                reader.error(
                    node,
                    "`after` is how much of the body comes before the fault: a number of bytes, or messages of gRPC as in "
                        + "`2 messages`"
                )
                return nil
            },
            inline: { writer, point in
                switch point {
                case .bytes(let count): writer.yaml.int(count)
                case .messages(let count): writer.yaml.scalar(Plural.text(count, "message", "messages"))
                }
            }
        )
    }
}

extension Codec where Value == URLErrorCode {
    static var urlError: Self {
        Codec(.words(URLErrorCode.names), read: { reader, node, _ in reader.readURLError(node) }, text: \.name)
    }
}

extension CassetteWriter {
    /// A fault: its name, or with details a mapping.
    mutating func write(_ fault: FaultEntry) {
        if fault.options == .none {
            self.inline { $0.yaml.scalar(fault.name.rawValue) }
        } else {
            self.block { $0.write(fault, by: CassetteGrammar.fault) }
        }
    }
}

extension CassetteReader {
    /// A fault is its name, or a mapping of that and its details.
    mutating func readFault(_ node: YAMLNode) -> FaultEntry? {
        guard node.kind == .mapping else { return self.choice(node, "fault", Fault.allCases).map { FaultEntry($0) } }
        let details = CassetteGrammar.fault.names.dropFirst()
        guard let nameNode = node["name"] else {
            self.checkKeys(node, CassetteGrammar.fault.names, of: "a fault")
            self.error(node, "a fault needs a `name`, such as streamReset, beside \(details.joined(separator: ", "))")
            return nil
        }
        guard let name = self.choice(nameNode, "name", Fault.allCases) else {
            self.checkKeys(node, CassetteGrammar.fault.names, of: "a fault")
            return nil
        }
        for (key, _) in node.pairs {
            guard let option = FaultOptions.Key(rawValue: key.string), !name.options.contains(option) else { continue }
            let others = Fault.allCases.filter { $0.options.contains(option) }.map(\.rawValue)
            self.error(
                key,
                "`\(option.rawValue)` does not go with \(name.rawValue); it goes with \(others.joined(separator: ", "))"
            )
        }
        var fault = FaultEntry(name)
        _ = self.read(node, by: CassetteGrammar.fault, into: &fault)
        return fault
    }
}

/// Faults that do not go with the rest of their take, or that no client would notice.
extension CassetteReader {
    /// - Parameters:
    ///   - node: the take, or the fault if that has no response.
    ///   - fault: the node with the name of the fault.
    mutating func checkFault(of take: Take, hasStatus: Bool, _ node: YAMLNode, fault place: YAMLNode) {
        // An unknown name has been spoken of.
        guard let fault = take.fault else { return }
        if !hasStatus, fault == .truncatedBody {
            self.error(node, "a take needs a `status`, such as 200, or a `fault`")
            return
        }
        if hasStatus, !fault.hasResponse {
            self.error(node, "with the fault \(fault.rawValue) there is no response, so no `status`")
        }
        if fault.hasResponse, fault.ending == .reset, take.body.decodedSize == 0 {
            self.warn(place, "there is no body, so the client sees a complete answer; give the take a body")
        }
        // A recording is not warned about: its origin did just that.
        if fault == .truncatedBody, take.recorded == nil, take.faultOptions == .none, take.looksWhole {
            self.warn(
                place,
                "the head promises no more than this body, so the client cannot tell; give it a `content-length` "
                    + "that promises more"
            )
        }
    }
}

extension CassetteReader {
    mutating func readURLError(_ node: YAMLNode) -> URLErrorCode? {
        let text = node.kind == .scalar ? node.string : ""
        if let name = URLErrorCode(name: text) { return name }
        self.error(
            node,
            "`urlError` is a code of URLError as Swift spells it, such as notConnectedToInternet or timedOut"
                + Self.hint(text, among: URLErrorCode.names)
        )
        return nil
    }

    /// - Parameters:
    ///   - hasFault: true if there is a `fault`, known or not.
    ///   - node: the node with the name of the error.
    mutating func checkURLError(of take: Take, hasFault: Bool, _ node: YAMLNode) {
        if !hasFault {
            self.error(node, "`urlError` goes with a `fault`, which is what all other clients get")
        } else if let fault = take.fault, fault.hasResponse {
            self.error(
                node,
                "`urlError` needs a fault without a response; with \(fault.rawValue) a part of the response comes, "
                    + "and then a URLSession reports networkConnectionLost"
            )
        }
    }
}

extension Take {
    /// True if a truncated body looks complete to the client.
    fileprivate var looksWhole: Bool {
        // A client of gRPC misses the status.
        guard self.trailers.isEmpty, self.headers.first(named: "transfer-encoding") == nil,
            MessageFraming(self.headers) == nil
        else { return false }
        guard let length = self.headers.first(named: "content-length") else { return true }
        // The length of a coded body is unknown here.
        guard self.body.coding == nil, let promised = Int(length) else { return false }
        return self.body.decodedSize >= promised
    }
}
