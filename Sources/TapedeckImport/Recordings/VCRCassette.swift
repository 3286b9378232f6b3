import TapedeckCodings
import TapedeckCore

/// Reads cassettes of Ruby's VCR, versions 1 to 6, and of Python's Betamax, which took over its form.
enum VCRCassette {
    /// The tool that wrote the file. Tools differ in how they store a text in another encoding.
    enum Dialect {
        case vcr
        case betamax
    }

    /// Returns the dialect of such a cassette, or `nil` for another document.
    static func dialect(of document: ForeignNode) -> Dialect? {
        if let interactions = document["http_interactions"], interactions.isList || interactions.isNull {
            let writer = document["recorded_with"]?.text ?? ""
            return writer.hasPrefix("betamax") ? .betamax : .vcr
        }
        // VCR 1.x wrote a bare list of its structures.
        let isOld = document.items.contains { $0.tag?.hasPrefix("!ruby/struct:VCR::HTTPInteraction") == true }
        return isOld ? .vcr : nil
    }

    /// The entries of a cassette, in its order.
    static func entries(_ document: ForeignNode, _ dialect: Dialect) -> [ForeignEntry] {
        let interactions = document.isList ? document.items : document["http_interactions"]?.items ?? []
        return interactions.map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node, dialect) }
        }
    }

    private static func exchange(_ node: ForeignNode, _ dialect: Dialect) throws(LeftOut) -> ForeignExchange {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = try self.url(request)
        exchange.requestHeaders = ForeignHeaders.fields(of: request["headers"])
        exchange.requestBody = try self.body(request["body"], dialect, notes: &exchange.notes)
        let status = response["status"]
        exchange.status = status?["code"]?.int ?? response["status_code"]?.int ?? status?.int ?? 0
        exchange.reason = status?["message"]?.text ?? ""
        exchange.headers = ForeignHeaders.fields(of: response["headers"])
        if dialect == .betamax { exchange.headers = exchange.headers.map(self.inLatin1) }
        exchange.body = try self.body(response["body"], dialect, notes: &exchange.notes)
        try self.compressAgain(&exchange, response["adapter_metadata"]?["vcr_decompressed"])
        exchange.time = node["recorded_at"]?.text.flatMap(RecordedTime.init)?.instant
        if [request["uri"]?.text, response["body"]?["string"]?.text].contains(where: { $0?.contains("<%=") == true }) {
            exchange.notes.append("`<%= … %>` is played unchanged: VCR evaluates it only with its option erb")
        }
        return exchange
    }

    private static func url(_ request: ForeignNode) throws(LeftOut) -> String {
        guard let uri = request["uri"] else { throw LeftOut("its request has no uri", line: request.line) }
        guard uri.tag?.hasPrefix("!ruby/regexp") != true, let text = uri.text else {
            throw LeftOut("its uri is no text: write a set with a pattern for it", line: uri.line)
        }
        return text
    }

    /// A field whose characters are bytes, as Python's http.client reads them.
    private static func inLatin1(_ field: HeaderField) -> HeaderField {
        guard let bytes = ForeignText.encode(field.value, as: "iso-8859-1") else { return field }
        return HeaderField(field.name, ByteText.string(from: bytes))
    }

    /// The bytes of a body: a map of its encoding and its text or base64, or, in older files, the text alone.
    private static func body(
        _ node: ForeignNode?,
        _ dialect: Dialect,
        notes: inout [String]
    ) throws(LeftOut) -> [UInt8] {
        guard let node, !node.isNull else { return [] }
        guard node.isMap, node.text == nil else { return try ForeignBody.bytes(node) }
        if let base64 = node["base64_string"], let text = base64.text {
            if dialect == .vcr { return ForeignText.rubyBase64(text) }
            guard let bytes = ForeignText.base64(text) else {
                throw LeftOut("its body is no base64", line: base64.line)
            }
            return bytes
        }
        guard let string = node["string"], !string.isNull else { return [] }
        guard !string.isBinary, let text = string.text, let encoding = node["encoding"]?.text else {
            return try ForeignBody.bytes(string)
        }
        if let bytes = ForeignText.encode(text, as: encoding) { return bytes }
        if dialect == .betamax {
            throw LeftOut("its body cannot be written in the encoding \(encoding)", line: string.line)
        }
        notes.append("a body stays in UTF-8, as it cannot be written in the encoding \(encoding)")
        return Array(text.utf8)
    }

    /// Puts the coding on again that VCR took off when it recorded, as it does itself when it plays.
    private static func compressAgain(_ exchange: inout ForeignExchange, _ coding: ForeignNode?) throws(LeftOut) {
        guard let coding, let name = coding.text, let known = ContentCoding(name: name) else { return }
        guard let coded = try? ContentCoder.encode(exchange.body, known) else {
            throw LeftOut("its body cannot be compressed again with \(name)", line: coding.line)
        }
        exchange.body = coded
        exchange.headers.removeAll { $0.isNamed("content-encoding") }
        exchange.headers.append(HeaderField("Content-Encoding", name))
    }
}
