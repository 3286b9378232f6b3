import TapedeckCore

/// Reads cassettes of ExVCR for Elixir: those that it recorded, and custom ones that were written by hand.
package struct ExVCRCassette: ImportFormat {
    package let name = "exvcr"
    package let lists: [[String]] = [[]]

    package init() {}

    package func look(at part: ImportFile) -> EntryLook {
        part.document?.items.contains(where: Self.isCustom) ?? false ? .whole : .more
    }

    package func recognises(_ file: ImportFile) -> Bool {
        file.document?.items.contains(where: Self.isRecord) ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard document.isList || document.isNull else {
            throw ForeignError(message: "it is no list of records", line: document.line, column: 1)
        }
        guard !document.items.contains(where: Self.isCustom) else {
            return ImportedFile(stubs: ExVCRStubs(document.items).entries)
        }
        return ImportedFile(
            exchanges: document.items.map { node in
                ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
            }
        )
    }

    /// True if a node is a record. vcrpy writes a `uri`, PHP-VCR no `status_code`.
    private static func isRecord(_ node: ForeignNode) -> Bool {
        guard let request = node["request"], request["url"]?.text != nil, request["uri"] == nil,
            let response = node["response"], response.isMap
        else { return false }
        return response["status_code"] != nil || (response["type"]?.text == "error" && response["body"] != nil)
    }

    /// True for a record that ExVCR did not write: it always writes method, fields and options.
    private static func isCustom(_ node: ForeignNode) -> Bool {
        guard let request = node["request"], request.isMap else { return false }
        guard let method = request["method"], !method.isNull else { return true }
        return (request["headers"] == nil && request["options"] == nil) || ExVCRStubs.isPattern(request["url"]?.text)
            || ExVCRStubs.isPattern(request["request_body"]?.text)
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        let (request, response) = try self.parts(of: node)
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = request["url"]?.text ?? ""
        exchange.requestHeaders = ForeignHeaders.fields(of: request["headers"])
        try self.readBody(of: request, into: &exchange)
        let answer = try ExVCRResponse(response)
        exchange.status = answer.status
        exchange.reason = answer.reason
        exchange.headers = answer.headers
        exchange.body = answer.body
        exchange.fault = answer.fault
        exchange.detail = answer.detail
        exchange.notes += answer.notes
        return exchange
    }

    /// The request and the response of a record.
    static func parts(of node: ForeignNode) throws(LeftOut) -> (request: ForeignNode, response: ForeignNode) {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        guard request["url"]?.text != nil else { throw LeftOut("its request has no url", line: request.line) }
        return (request, response)
    }

    private static func readBody(of request: ForeignNode, into exchange: inout ForeignExchange) throws(LeftOut) {
        guard
            let body = [request["body"], request["request_body"]].lazy.compactMap({ $0 }).first(where: { !$0.isNull })
        else {
            exchange.lacksRequestBody = true
            return
        }
        if let text = body.text, self.isTerm(text) {
            exchange.lacksRequestBody = true
            exchange.notes.append("its request body is not known: the file has the Elixir term that it was made of")
            return
        }
        exchange.requestBody = try ForeignBody.bytes(body)
    }

    /// True for a term from which hackney makes a body, such as `{:multipart, […]}`.
    private static func isTerm(_ text: String) -> Bool {
        text.hasSuffix("}") && ["{:multipart, ", "{:form, ", "{:file, ", "{:stream, "].contains { text.hasPrefix($0) }
    }
}
