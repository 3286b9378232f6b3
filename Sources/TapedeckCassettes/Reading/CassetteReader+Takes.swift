import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    mutating func readTake(_ node: YAMLNode) -> Take? {
        guard self.expectMapping(node, "a take") else { return nil }
        var take = Take()
        var hasStatus = false
        var faultNode: YAMLNode?
        var urlErrorNode: YAMLNode?
        var piecesNode: YAMLNode?
        var calls = CallKeys()
        // One pass over the pairs: a take is read for every exchange of a cassette, so keys are not looked up one by
        // one.
        for (key, value) in node.pairs {
            if key.scalarEquals("status") {
                hasStatus = true
                take.status = self.readStatus(value)
            } else if key.scalarEquals("headers") {
                take.headers = self.readFields(value, "headers")
            } else if key.scalarEquals("body") {
                take.body = self.readBody(value)
                calls.body = key
            } else if key.scalarEquals("recorded") {
                take.recorded = self.readRecorded(value)
            } else if key.scalarEquals("times") {
                take.times = self.readTimes(value)
            } else if key.scalarEquals("reason") {
                take.reason = self.text(value, "reason")
            } else if key.scalarEquals("trailers") {
                take.trailers = self.readFields(value, "trailers")
            } else if key.scalarEquals("interim") {
                take.interim = self.readInterim(value)
            } else if key.scalarEquals("endsAtClose") {
                take.endsAtClose = self.bool(value, "endsAtClose")
            } else if key.scalarEquals("protocol") {
                take.isHTTP2 = self.readProtocol(value)
            } else if key.scalarEquals("pieces") {
                take.pieces = self.readPieces(value)
                piecesNode = value
            } else if key.scalarEquals("fault") {
                if let (fault, options) = self.readFault(value) { (take.fault, take.faultOptions) = (fault, options) }
                faultNode = value
            } else if key.scalarEquals("urlError") {
                take.urlError = self.readURLError(value)
                urlErrorNode = value
            } else if key.scalarEquals("detail") {
                take.detail = self.text(value, "detail")
            } else if key.scalarEquals("request") {
                take.request = self.readTakeRequest(value)
            } else if !calls.take(key, value) {
                self.unknown(key, CassetteKeys.take, of: "a take")
            }
        }
        if calls.isCall {
            hasStatus = hasStatus || take.fault?.hasResponse ?? true
            self.readCall(calls, into: &take)
        }
        if let date = take.headers.firstIndex(where: { $0.value == Take.recordedDate && $0.isNamed("date") }),
            let text = take.dateWhenRecorded
        {
            take.headers[date].value = text
        }
        if let piecesNode { self.checkPieces(of: take, piecesNode) }
        if let urlErrorNode { self.checkURLError(of: take, hasFault: faultNode != nil, urlErrorNode) }
        if let faultNode {
            self.checkFault(of: take, hasStatus: hasStatus, node, fault: faultNode)
        } else if !hasStatus {
            self.error(node, "a take needs a `status`, such as 200, a `grpcStatus`, or a `fault`")
        }
        return take
    }

    private mutating func readRecorded(_ node: YAMLNode) -> String? {
        guard let text = self.text(node, "recorded") else { return nil }
        if Instant(rfc3339: String(text.prefix { $0 != "," })) == nil {
            self.warn(
                node,
                "`recorded` does not begin with a time such as 2026-11-21T10:00:00Z, so the take has no age and its "
                    + "dates do not move"
            )
        }
        return text
    }

    private mutating func readTimes(_ node: YAMLNode) -> Int {
        guard let times = node.int, (1...1_000_000).contains(times) else {
            self.error(node, "`times` is the number of requests in a row that the take answers, from 1 to 1000000")
            return 1
        }
        return times
    }

    private mutating func readStatus(_ node: YAMLNode) -> Int {
        guard let status = node.int, (200...999).contains(status) else {
            self.error(node, "`status` is a number from 200 to 999; 1xx responses go under `interim`")
            return 200
        }
        return status
    }

    /// Returns true for `h2`.
    private mutating func readProtocol(_ node: YAMLNode) -> Bool {
        if node.scalarEquals("h2") { return true }
        self.error(node, "`protocol` is h2, for an answer that was recorded over HTTP/2; leave it out for any other")
        return false
    }

    private mutating func readInterim(_ node: YAMLNode) -> [Take.Interim] {
        guard self.expectSequence(node, "interim") else { return [] }
        var responses: [Take.Interim] = []
        for item in node.items {
            guard self.expectMapping(item, "an interim response") else { continue }
            self.checkKeys(item, CassetteKeys.interim, of: "an interim response")
            guard let statusNode = item["status"] else {
                self.error(item, "an interim response needs `status`")
                continue
            }
            guard let status = statusNode.int, (102...199).contains(status) else {
                self.error(statusNode, "the status of an interim response is a number from 102 to 199")
                continue
            }
            let headers = item["headers"].map { self.readFields($0, "headers") } ?? []
            let reason = item["reason"].flatMap { self.text($0, "reason") }
            responses.append(Take.Interim(status: status, reason: reason, headers: headers))
        }
        return responses
    }

    /// A list of one-pair mappings keeps order and duplicates; a plain mapping suffices without them.
    private mutating func readFields(_ node: YAMLNode, _ what: String) -> [HeaderField] {
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

    private mutating func readField(_ nameNode: YAMLNode, _ valueNode: YAMLNode, into fields: inout [HeaderField]) {
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

    private mutating func readTakeRequest(_ node: YAMLNode) -> Take.Request? {
        guard self.expectMapping(node, "request") else { return nil }
        var request = Take.Request()
        var messages: YAMLNode?
        for (key, value) in node.pairs {
            if key.scalarEquals("headers") {
                request.headers = self.readFields(value, "headers")
            } else if key.scalarEquals("body") {
                request.body = self.readBody(value)
            } else if key.scalarEquals("url") {
                request.url = self.text(value, "url")
                if let url = request.url, AbsoluteURL(url) == nil {
                    self.error(value, "`url` is a whole URL, such as https://api.example.com/users")
                }
            } else if key.scalarEquals("messages") {
                messages = value
            } else {
                self.unknown(key, CassetteKeys.takeRequest, of: "what was sent")
            }
        }
        if let messages { request.body = self.readMessages(messages, request.headers, isAnswer: false) }
        return request
    }
}
