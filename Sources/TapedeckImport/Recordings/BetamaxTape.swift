import TapedeckCore

/// Reads tapes of Betamax for the JVM and of OkReplay: YAML with the tag `!tape`.
enum BetamaxTape {
    /// True if a document is such a tape.
    static func recognises(_ document: ForeignNode) -> Bool {
        if document.tag == "!tape" { return true }
        guard let first = document["interactions"]?.items.first else { return false }
        return first["recorded"] != nil && first["request"]?["uri"] != nil && first["response"]?["status"]?.int != nil
    }

    /// Returns the entries of a tape, in its order.
    ///
    /// - Parameter file: reads a file that the tape names, relative to the tape; `nil` for one that is missing or
    ///   outside of its folder.
    static func entries(_ document: ForeignNode, file: (String) -> [UInt8]?) -> [ForeignEntry] {
        (document["interactions"]?.items ?? []).map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node, file) }
        }
    }

    private static func exchange(_ node: ForeignNode, _ file: (String) -> [UInt8]?) throws(LeftOut) -> ForeignExchange {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = request["uri"]?.text ?? ""
        exchange.requestHeaders = ForeignHeaders.fields(of: request["headers"])
        exchange.requestBody = try self.body(request["body"], file)
        exchange.status = response["status"]?.int ?? 0
        exchange.headers = ForeignHeaders.fields(of: response["headers"])
        exchange.body = try self.body(response["body"], file)
        exchange.time = node["recorded"]?.text.flatMap(RecordedTime.init)?.instant
        return exchange
    }

    private static func body(_ node: ForeignNode?, _ file: (String) -> [UInt8]?) throws(LeftOut) -> [UInt8] {
        guard let node, node.tag == "!file" else { return try ForeignBody.bytes(node) }
        let path = node.text ?? ""
        guard let bytes = file(path) else {
            throw LeftOut("its body file '\(path)' is not there, or not beside the tape", line: node.line)
        }
        return bytes
    }
}
