import TapedeckCore

/// Reads recordings of the Azure SDK's test proxy.
enum AzureRecording {
    /// True if a document is such a recording.
    static func recognises(_ document: ForeignNode) -> Bool {
        guard let entries = document["Entries"], entries.isList else { return false }
        return entries.items.allSatisfy { $0["RequestUri"] != nil || $0["RequestMethod"] != nil }
    }

    /// The entries of a recording, in its order.
    static func entries(_ document: ForeignNode) -> [ForeignEntry] {
        (document["Entries"]?.items ?? []).map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
        }
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        var exchange = ForeignExchange()
        exchange.method = node["RequestMethod"]?.text ?? "GET"
        exchange.url = node["RequestUri"]?.text ?? ""
        exchange.requestHeaders = ForeignHeaders.fields(of: node["RequestHeaders"])
        exchange.requestBody = try self.body(node["RequestBody"], exchange.requestHeaders)
        exchange.status = node["StatusCode"]?.int ?? 0
        exchange.headers = ForeignHeaders.fields(of: node["ResponseHeaders"])
        exchange.body = try self.body(node["ResponseBody"], exchange.headers)
        return exchange
    }

    private static func body(_ node: ForeignNode?, _ headers: [HeaderField]) throws(LeftOut) -> [UInt8] {
        guard let node, !node.isNull else { return [] }
        let type = ASCII.lowercased(headers.first(named: "content-type") ?? "")
        if type.hasPrefix("multipart/"), node.isList { return try self.multipart(node) }
        guard self.isText(type) || node.isMap else { return try self.bytes(node) }
        let text: [UInt8]
        if node.isList {
            text = node.items.flatMap { Array(($0.text ?? "").utf8) }
        } else if case .scalar(let string, isPlain: false) = node.content {
            text = Array(string.utf8)
        } else {
            text = ForeignJSON.text(node, .dotNet)
        }
        return type.contains("json") ? self.compact(text) : text
    }

    /// Returns a binary body: base64, or an empty list for an empty one.
    private static func bytes(_ node: ForeignNode) throws(LeftOut) -> [UInt8] {
        guard !node.isList || node.items.isEmpty else { return try self.multipart(node) }
        guard !node.isList else { return [] }
        guard let bytes = node.text.flatMap(ForeignText.strictBase64) else {
            throw LeftOut("its body is no base64, and its content type is none of text", line: node.line)
        }
        return bytes
    }

    /// The lines of a multipart body, those of binary parts in base64, those of parts with parts in a list.
    private static func multipart(_ node: ForeignNode) throws(LeftOut) -> [UInt8] {
        var bytes: [UInt8] = []
        for item in node.items {
            if item.isList {
                bytes += try self.multipart(item)
            } else if let text = item.text, text.hasPrefix("b64:") {
                guard let part = ForeignText.strictBase64(String(text.dropFirst(4))) else {
                    throw LeftOut("a part of its body is no base64", line: item.line)
                }
                bytes += part
            } else {
                bytes += Array((item.text ?? "").utf8)
            }
        }
        return bytes
    }

    /// The test proxy reformats JSON bodies, without white space.
    private static func compact(_ text: [UInt8]) -> [UInt8] {
        guard let document = try? ForeignNode.documents(of: text), document.count == 1, ForeignJSON.isJSON(text) else {
            return text
        }
        return ForeignJSON.text(document[0], .dotNet)
    }

    /// The content types whose bodies the test proxy takes for text.
    private static func isText(_ type: String) -> Bool {
        let media = type.prefix { $0 != ";" }.trimmingSpaces()
        if media.hasPrefix("application/vnd.docker.distribution.manifest")
            || media.hasPrefix("application/vnd.oci.image.manifest")
            || media == "application/vnd.oci.image.index.v1+json"
        {
            return false
        }
        return media.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("xml")
            || type.hasSuffix("-urlencoded") || media.hasPrefix("application/json")
            || media == "application/x-www-form-urlencoded" || type.contains("; charset=utf-8")
    }
}
