import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// A fault is its name, or a mapping of that and its details.
    mutating func readFault(_ node: YAMLNode) -> (Fault, FaultOptions)? {
        guard node.kind == .mapping else {
            return self.choice(node, "fault", Fault.allCases).map { ($0, .none) }
        }
        let keys = FaultOptions.Key.allCases.map(\.rawValue)
        self.checkKeys(node, CassetteKeys.fault, of: "a fault")
        guard let nameNode = node["name"] else {
            self.error(node, "a fault needs a `name`, such as streamReset, beside \(keys.joined(separator: ", "))")
            return nil
        }
        guard let fault = self.choice(nameNode, "name", Fault.allCases) else { return nil }
        var options = FaultOptions()
        for (keyNode, value) in node.pairs {
            guard let key = FaultOptions.Key(rawValue: keyNode.string) else { continue }
            guard fault.options.contains(key) else {
                let others = Fault.allCases.filter { $0.options.contains(key) }.map(\.rawValue)
                self.error(
                    keyNode,
                    "`\(key.rawValue)` does not go with \(fault.rawValue); it goes with \(others.joined(separator: ", "))"
                )
                continue
            }
            switch key {
            case .code: options.code = self.readErrorCode(value)
            case .after: options.after = self.readFaultPoint(value)
            case .lastStream: options.lastStream = self.count(value, "lastStream", 0...Int(Int32.max))
            }
        }
        return (fault, options)
    }

    private mutating func readErrorCode(_ node: YAMLNode) -> HTTP2ErrorCode? {
        let text = node.kind == .scalar ? node.string : ""
        if let code = HTTP2ErrorCode(name: text) { return code }
        self.error(
            node,
            "`code` is an error code of HTTP/2, such as CANCEL, REFUSED_STREAM or ENHANCE_YOUR_CALM, or a number"
                + Self.hint(text, among: HTTP2ErrorCode.names)
        )
        return nil
    }

    private mutating func readFaultPoint(_ node: YAMLNode) -> FaultOptions.Point? {
        if let count = node.int, count >= 0 { return .bytes(count) }
        let words = node.kind == .scalar ? node.string.split(separator: " ") : []
        if words.count == 2, words[1] == "messages" || words[1] == "message", let count = Int(words[0]), count >= 0 {
            return .messages(count)
        }
        self.error(
            node,
            "`after` is how much of the body comes before the fault: a number of bytes, or messages of gRPC as in "
                + "`2 messages`"
        )
        return nil
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
