import TapedeckCore

/// Reads cassettes of PHP-VCR, versions 1.0 to 1.12, in YAML and JSON.
package struct PHPVCRCassette: ImportFormat {
    package let name = "php-vcr"
    package let lists: [[String]] = [[]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.document?.items.contains(where: Self.isRecording) ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard document.isList || document.isNull else {
            throw ForeignError(message: "it is no list of recordings", line: document.line, column: 1)
        }
        return ImportedFile(
            exchanges: document.items.map { node in
                ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
            }
        )
    }

    /// True if a node is a recording. Those of ExVCR have a `status_code`, those of vcrpy and EasyVCR a `uri`, stubs of
    /// stubby a URL without a scheme, and entries of HTTP Archives a `content`.
    private static func isRecording(_ node: ForeignNode) -> Bool {
        guard let request = node["request"], let response = node["response"], request["method"]?.text != nil,
            request["uri"] == nil, let url = request["url"]?.text
        else { return false }
        let scheme = ASCII.lowercased(String(url.prefix(8)))
        guard scheme.hasPrefix("http://") || scheme == "https://" else { return false }
        guard response["status_code"] == nil, response["content"] == nil, response["statusText"] == nil else {
            return false
        }
        return response["status"]?.int != nil || response["status"]?["code"] != nil || response["curl_info"] != nil
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        guard let url = request["url"]?.text else { throw LeftOut("its request has no url", line: request.line) }
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = url
        // A field without a value is one that curl was told not to send.
        exchange.requestHeaders = self.headers(request["headers"], leavingOutNulls: true, &exchange.notes)
        try self.readBody(of: request, into: &exchange)
        let status = response["status"].flatMap { $0.isNull ? nil : $0 }
        // Without one PHP-VCR plays 200.
        exchange.status = status?["code"]?.int ?? status?.int ?? (status == nil ? 200 : 0)
        exchange.reason = status?["message"]?.text ?? ""
        exchange.headers = self.headers(response["headers"], leavingOutNulls: false, &exchange.notes)
        if JoinedCookies.split(&exchange.headers) { exchange.notes.append(JoinedCookies.note) }
        exchange.body = try self.body(of: response, in: &exchange)
        try self.refuseSecondResponse(in: exchange, line: response.line)
        exchange.latency = self.latency(response["curl_info"])
        return exchange
    }

    // MARK: Header fields

    private static func headers(
        _ node: ForeignNode?,
        leavingOutNulls: Bool,
        _ notes: inout [String]
    ) -> [HeaderField] {
        guard let node, node.isMap else { return ForeignHeaders.fields(of: node) }
        let pairs = node.pairs.filter { pair in
            guard !leavingOutNulls || !pair.value.isNull else { return false }
            guard self.isEncrypted(pair.value) else { return true }
            notes.append("the header field '\((pair.key.text ?? "").prefix(80))' is left out: it is encrypted")
            return false
        }
        return ForeignHeaders.fields(of: ForeignNode(.map(pairs), line: node.line))
    }

    /// True for a value that the encrypted storage of PHP-VCR wrote.
    private static func isEncrypted(_ node: ForeignNode?) -> Bool {
        node?.text?.hasPrefix("vcr:enc:") == true
    }

    // MARK: Bodies

    private static func readBody(of request: ForeignNode, into exchange: inout ForeignExchange) throws(LeftOut) {
        if let body = request["body"], !body.isNull {
            guard !self.isEncrypted(body) else {
                exchange.lacksRequestBody = true
                exchange.notes.append("its request body is not known: it is encrypted")
                return
            }
            exchange.requestBody = try ForeignBody.bytes(body)
            return
        }
        let fields = self.hasContent(request["post_fields"])
        let files = self.hasContent(request["post_files"])
        guard fields || files else { return }
        let type = ASCII.lowercased(exchange.requestHeaders.first(named: "content-type") ?? "")
        if !files, type.hasPrefix("application/x-www-form-urlencoded"), let form = self.form(request["post_fields"]) {
            exchange.requestBody = form
            return
        }
        exchange.lacksRequestBody = true
        exchange.notes.append(
            "its request body is not known: the file has its \(fields ? "fields" : "files") alone"
        )
    }

    private static func hasContent(_ node: ForeignNode?) -> Bool {
        guard let node, !node.isNull else { return false }
        return !node.items.isEmpty || !node.pairs.isEmpty || node.text != nil
    }

    /// A form of names with one text each; `nil` for other fields.
    private static func form(_ node: ForeignNode?) -> [UInt8]? {
        var pairs: [String] = []
        for pair in node?.pairs ?? [] {
            guard let name = pair.key.text, let value = pair.value.text, !self.isEncrypted(pair.value) else {
                return nil
            }
            pairs.append("\(ForeignText.formEncoded(name))=\(ForeignText.formEncoded(value))")
        }
        return pairs.isEmpty ? nil : Array(pairs.joined(separator: "&").utf8)
    }

    private static func body(
        of response: ForeignNode,
        in exchange: inout ForeignExchange
    ) throws(LeftOut) -> [UInt8] {
        guard let body = response["body"], !body.isNull else { return self.missingBody(of: &exchange) }
        guard !self.isEncrypted(body) else { throw LeftOut("its body is encrypted", line: body.line) }
        // PHP-VCR looks for the fields in this spelling alone, so that over HTTP/2 it writes no base64.
        func value(_ name: String) -> String { exchange.headers.first { $0.name == name }?.value ?? "" }
        let isBase64 =
            value("Content-Type").contains("application/x-gzip") || value("Content-Transfer-Encoding") == "binary"
        guard isBase64, !body.isBinary else { return try ForeignBody.bytes(body) }
        guard let text = body.text, let bytes = ForeignText.strictBase64(text) else {
            throw LeftOut("its body is no base64", line: body.line)
        }
        return bytes
    }

    /// The body that PHP-VCR leaves out of the file because PHP takes it for false: an empty one, or `0`.
    private static func missingBody(of exchange: inout ForeignExchange) -> [UInt8] {
        let method = exchange.method.uppercased()
        guard method != "HEAD", exchange.status != 204, exchange.status != 304,
            let length = exchange.headers.first(named: "content-length").flatMap({ Int($0) }), length > 0
        else { return [] }
        if length == 1 { return [UInt8(ascii: "0")] }
        exchange.notes.append("its body is empty there and here, though it is said to be of \(length) bytes")
        return []
    }

    /// Refuses a body that begins with the head of another response: curl gives all responses of one transfer, and
    /// PHP-VCR takes the first of a redirect, or that of a proxy, for the one of the request.
    private static func refuseSecondResponse(in exchange: ForeignExchange, line: Int) throws(LeftOut) {
        guard exchange.body.starts(with: "HTTP/".utf8),
            exchange.headers.isEmpty || exchange.headers.contains(named: "location")
        else { return }
        throw LeftOut(
            "its body has the head of a second response in it, of a redirect that curl followed or of a proxy",
            line: line
        )
    }

    /// The time from the request to the first byte of the response, in milliseconds.
    private static func latency(_ info: ForeignNode?) -> Int? {
        guard let start = info?["pretransfer_time"]?.text.flatMap(Double.init),
            let first = info?["starttransfer_time"]?.text.flatMap(Double.init),
            first > start, first - start < 1e9
        else { return nil }
        return Int(((first - start) * 1000).rounded())
    }
}
