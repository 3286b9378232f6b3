import TapedeckCore

/// Reads cassettes of Python's vcrpy: version 1 in YAML and JSON, files of before it, those of its httpx stubs, and
/// bodies as trees (`parsed_body`), which serializers of users write.
enum VCRPyCassette {
    /// True if a document is such a cassette.
    static func recognises(_ document: ForeignNode) -> Bool {
        guard let first = self.interactions(document).first(where: \.isMap) else {
            return document["interactions"]?.isList == true && document["version"]?.int == 1
        }
        guard let request = first["request"], first["response"] != nil || first["request"]?["uri"] != nil else {
            return false
        }
        // Before version 1 the URL was stored in parts.
        return request["uri"] != nil || (request["host"] != nil && request["protocol"] != nil)
    }

    /// The entries of a cassette, in its order.
    static func entries(_ document: ForeignNode) -> [ForeignEntry] {
        self.interactions(document).map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
        }
    }

    private static func interactions(_ document: ForeignNode) -> [ForeignNode] {
        document.isList ? document.items : document["interactions"]?.items ?? []
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = try self.url(request)
        exchange.requestHeaders = ForeignHeaders.fields(of: request["headers"])
        try self.readBody(of: request, into: &exchange)
        let status = response["status"]
        exchange.status = status?["code"]?.int ?? response["status_code"]?.int ?? status?.int ?? 0
        exchange.reason = status?["message"]?.text ?? ""
        exchange.headers = ForeignHeaders.fields(of: response["headers"])
        exchange.body = try self.body(of: response)
        exchange.time = node["recorded_at"]?.text.flatMap(RecordedTime.init)?.instant
        return exchange
    }

    private static func url(_ request: ForeignNode) throws(LeftOut) -> String {
        if let uri = request["uri"]?.text { return uri }
        guard let scheme = request["protocol"]?.text, let host = request["host"]?.text else {
            throw LeftOut("its request has no uri", line: request.line)
        }
        let port = request["port"]?.int
        let usual = scheme == "https" ? 443 : 80
        let authority = port == nil || port == usual ? host : "\(host):\(port ?? usual)"
        return "\(scheme)://\(authority)\(request["path"]?.text ?? "/")"
    }

    /// Reads the body of a request, for which the stubs of aiohttp keep the argument that the program gave: a list of pairs is
    /// a form, and a map a form or JSON.
    private static func readBody(of request: ForeignNode, into exchange: inout ForeignExchange) throws(LeftOut) {
        let body = request["body"]
        if let items = body?.items, !items.isEmpty, items.allSatisfy({ $0.text == nil && $0.items.count == 2 }) {
            let pairs = items.map { pair in
                pair.items.map { ForeignText.formEncoded($0.text ?? "") }.joined(separator: "=")
            }
            exchange.requestBody = Array(pairs.joined(separator: "&").utf8)
        } else if let body, body.text == nil, body.tag == nil, !body.pairs.isEmpty,
            body["base64_string"] == nil, body["string"] == nil
        {
            exchange.notes.append("its request body is not known: a form or JSON was made of the map in the file")
        } else {
            exchange.requestBody = try self.body(of: request)
        }
    }

    private static func body(of message: ForeignNode) throws(LeftOut) -> [UInt8] {
        if let parsed = message["parsed_body"], !parsed.isNull {
            return ForeignJSON.text(parsed, .python)
        }
        if let content = message["content"], !content.isNull { return try ForeignBody.bytes(content) }
        guard let body = message["body"], body.isMap, body.text == nil else {
            return try ForeignBody.bytes(message["body"])
        }
        if let base64 = body["base64_string"], let text = base64.text {
            guard let bytes = ForeignText.base64(text) else {
                throw LeftOut("its body is no base64", line: base64.line)
            }
            return bytes
        }
        return body["string"] == nil ? try ForeignBody.bytes(body) : try ForeignBody.bytes(body["string"])
    }
}
