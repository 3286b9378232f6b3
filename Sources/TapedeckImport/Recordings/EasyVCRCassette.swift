import TapedeckCore

/// Reads cassettes of EasyVCR for .NET and for Java, and of its port to Dart (dartvcr): JSON lists.
///
/// .NET writes names with a capital letter and keeps the fields of the content apart; the other two write the same names
/// in small letters.
package struct EasyVCRCassette: ImportFormat {
    package let name = "easyvcr"
    package let lists: [[String]] = [[]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.document?.items.contains(where: Self.isInteraction) ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard document.isList || document.isNull else {
            throw ForeignError(message: "it is no list of interactions", line: document.line, column: 1)
        }
        return ImportedFile(
            exchanges: document.items.map { node in
                ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
            }
        )
    }

    /// True if a node is an interaction. vcrpy writes no durations.
    private static func isInteraction(_ node: ForeignNode) -> Bool {
        if node["Request"]?["Uri"] != nil { return node["Response"] != nil && node["RecordedAt"] != nil }
        return node["request"]?["uri"] != nil && node["response"] != nil && node["duration"]?.text != nil
            && (node["recordedAt"] != nil || node["recorded_at"] != nil)
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        let isDotNet = node["Request"] != nil
        guard let request = node["Request"] ?? node["request"], request.isMap else {
            throw LeftOut("it has no request", line: node.line)
        }
        guard let response = node["Response"] ?? node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        guard let url = (request["Uri"] ?? request["uri"])?.text else {
            throw LeftOut("its request has no uri", line: request.line)
        }
        var exchange = ForeignExchange()
        exchange.method = (request["Method"] ?? request["method"])?.text ?? "GET"
        exchange.url = url
        exchange.requestHeaders = self.headers(request, "RequestHeaders")
        exchange.requestBody = try ForeignBody.bytes(request["Body"] ?? request["body"])
        if self.hasLostBytes(exchange.requestBody) {
            exchange.requestBody = []
            exchange.lacksRequestBody = true
            exchange.notes.append("its request body is not known: its bytes were recorded as text")
        }
        let status = response["Status"] ?? response["status"]
        exchange.status = (status?["Code"] ?? status?["code"])?.int ?? 0
        exchange.reason = (status?["Message"] ?? status?["message"])?.text ?? ""
        exchange.headers = self.headers(response, "ResponseHeaders")
        if JoinedCookies.split(&exchange.headers) { exchange.notes.append(JoinedCookies.note) }
        let body = response["Body"] ?? response["body"]
        // Before version 0.5 EasyVCR for Java put the bodies of errors there.
        exchange.body = try ForeignBody.bytes(body.flatMap { $0.isNull ? nil : $0 } ?? response["errors"])
        try self.refuseLostBytes(of: &exchange, line: (body ?? response).line)
        self.readTimes(node, isDotNet: isDotNet, into: &exchange)
        return exchange
    }

    private static func headers(_ message: ForeignNode, _ name: String) -> [HeaderField] {
        let nodes = [message[name], message["ContentHeaders"], message["headers"]]
        // Java gives the status line as a field whose name is null, and its name in the file is this text.
        return nodes.flatMap { ForeignHeaders.fields(of: $0) }.filter { $0.name != "null" }
    }

    private static func readTimes(_ node: ForeignNode, isDotNet: Bool, into exchange: inout ForeignExchange) {
        let time = node["RecordedAt"] ?? node["recordedAt"] ?? node["recorded_at"]
        if let seconds = time?.int {
            // EasyVCR for Java writes seconds since 1970; no time is beyond the year 9999.
            exchange.time = (0..<253_402_300_800).contains(seconds) ? Instant(seconds: Int64(seconds)) : nil
        } else {
            exchange.time = time?.text.flatMap(RecordedTime.init)?.instant
        }
        // .NET writes the milliseconds beyond the last whole second, so that its number says nothing.
        guard !isDotNet, let duration = node["duration"]?.int, duration > 0, duration < 1_000_000_000 else { return }
        exchange.latency = duration
    }

    // MARK: Bodies

    /// True for a body of bytes that was recorded as text, in which U+FFFD is in the place of bytes that are no UTF-8.
    private static func hasLostBytes(_ body: [UInt8]) -> Bool {
        body.firstRange(of: "\u{FFFD}".utf8) != nil
    }

    /// Refuses a response body of bytes that was recorded as text.
    private static func refuseLostBytes(of exchange: inout ForeignExchange, line: Int) throws(LeftOut) {
        let length = exchange.headers.first(named: "content-length").flatMap { Int($0) }
        let isCoded = !exchange.headers.tokens(named: "content-encoding").allSatisfy { $0 == "identity" }
        guard self.hasLostBytes(exchange.body) else {
            // JSON is written anew when secrets are taken out of it.
            let isJSON = exchange.headers.mediaType.hasSuffix("json")
            if !isCoded, !isJSON, let length, exchange.body.count < length, exchange.method.uppercased() != "HEAD" {
                let size = Plural.text(exchange.body.count, "byte", "bytes")
                exchange.notes.append("its body has \(size), though it is said to be of \(length)")
            }
            return
        }
        guard !isCoded, self.isText(exchange.headers.mediaType) else {
            throw LeftOut("its body is bytes that were recorded as text: they are lost", line: line)
        }
        exchange.notes.append("its body has U+FFFD in it: bytes that are no UTF-8 were lost when it was recorded")
    }

    private static func isText(_ type: String) -> Bool {
        type.isEmpty || type.hasPrefix("text/")
            || ["json", "xml", "javascript", "ecmascript", "urlencoded", "graphql", "yaml", "html"].contains {
                type.hasSuffix($0)
            }
    }
}
