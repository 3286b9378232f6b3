import TapedeckCore

/// Reads cassettes of go-vcr, versions 1 to 4.
enum GoVCRCassette {
    /// True if a document is such a cassette.
    static func recognises(_ document: ForeignNode) -> Bool {
        let document = self.withYAMLKeys(document)
        guard let interactions = document["interactions"], interactions.isList || interactions.isNull else {
            return false
        }
        guard let request = interactions.items.first?["request"] else { return document["version"]?.int == 2 }
        return request["url"] != nil && request["uri"] == nil
    }

    /// The entries of a cassette in the order in which they are played: that of the file.
    static func entries(_ document: ForeignNode) -> [ForeignEntry] {
        (self.withYAMLKeys(document)["interactions"]?.items ?? []).map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
        }
    }

    /// A cassette that was written as JSON, whose keys are those of Go, with the keys that one in YAML has.
    private static func withYAMLKeys(_ node: ForeignNode) -> ForeignNode {
        guard node["Interactions"] != nil || node["Request"] != nil || node["Method"] != nil || node["Code"] != nil
        else { return node }
        let pairs = node.pairs.map { pair -> ForeignPair in
            let name = (pair.key.text ?? "").replacing("TransferEncoding", with: "Transfer_Encoding")
            let key = ForeignNode(.scalar(name.lowercased(), isPlain: false), line: pair.key.line)
            let value =
                pair.value.isList && name == "Interactions"
                ? ForeignNode(.list(pair.value.items.map(self.withYAMLKeys)), line: pair.value.line)
                : name == "Request" || name == "Response" ? self.withYAMLKeys(pair.value) : pair.value
            return ForeignPair(key: key, value: value)
        }
        return ForeignNode(.map(pairs), line: node.line)
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
        exchange.requestBody = try ForeignBody.bytes(request["body"])
        let line = response["status"]?.text ?? ""
        exchange.status = response["code"]?.int ?? Int(line.prefix(3)) ?? 0
        // "200 OK"; some files hold the number alone.
        exchange.reason = String(line.drop { $0.isNumber }.drop { $0 == " " })
        exchange.headers = ForeignHeaders.fields(of: response["headers"])
        exchange.trailers = ForeignHeaders.fields(of: response["trailer"])
        exchange.body = try ForeignBody.bytes(response["body"])
        if response["uncompressed"]?.bool == true {
            exchange.headers.removeAll { $0.isNamed("content-encoding") }
        }
        let isChunked = response["transfer_encoding"]?.items.contains { $0.text == "chunked" } == true
        if isChunked, !exchange.headers.contains(named: "transfer-encoding") {
            exchange.headers.append(HeaderField("Transfer-Encoding", "chunked"))
        }
        exchange.latency = response["duration"]?.text.flatMap { duration in
            // Before version 2 of the form the duration could be a number of nanoseconds.
            Int(duration).map { $0 / 1_000_000 } ?? GoDuration(duration)?.milliseconds
        }
        return exchange
    }

    /// Returns the URL; recordings of servers have only path and query in it, and the host separately.
    private static func url(_ request: ForeignNode) throws(LeftOut) -> String {
        guard let url = request["url"]?.text else { throw LeftOut("its request has no url", line: request.line) }
        guard url.hasPrefix("/"), let host = request["host"]?.text, !host.isEmpty else { return url }
        return "http://\(host)\(url)"
    }
}
