import TapedeckCore

/// Reads the mock routes of Insomnia's exports, versions 4 and 5. Requests are named as left out: Insomnia exports no
/// responses.
package struct InsomniaExport: ImportFormat {
    package let name = "insomnia"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document, document.isMap else { return false }
        return document["__export_format"] != nil || document["type"]?.text?.contains(".insomnia.rest/") == true
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        var result = ImportedFile()
        for node in document["resources"]?.items ?? [] {
            switch node["_type"]?.text {
            case "mock_route": result.stubs.append(Self.route(node))
            case "request", "grpc_request", "websocket_request", "socketio_request":
                result.stubs.append(Self.request(node))
            default: continue
            }
        }
        for node in (document["routes"] ?? document["server"]?["routes"])?.items ?? [] {
            result.stubs.append(Self.route(node))
        }
        Self.readRequests(document["collection"]?.items ?? [], depth: 0, into: &result)
        return result
    }

    private static func readRequests(_ items: [ForeignNode], depth: Int, into result: inout ImportedFile) {
        guard depth < 64 else { return }
        for item in items {
            if let children = item["children"] {
                self.readRequests(children.items, depth: depth + 1, into: &result)
            } else if item["url"] != nil {
                result.stubs.append(self.request(item))
            }
        }
    }

    private static func request(_ node: ForeignNode) -> StubEntry {
        let reason = "it is a request without a response: nothing to play"
        return StubEntry(line: node.line, result: .failure(LeftOut(reason, line: node.line)))
    }

    private static func route(_ node: ForeignNode) -> StubEntry {
        StubEntry.reading(node) { (node) throws(LeftOut) in
            guard let path = node["name"]?.text else { throw LeftOut("it has no path", line: node.line) }
            let method = (node["method"]?.text ?? "GET").uppercased()
            var matcher = RequestMatcher(methods: [method])
            matcher.url = .exactPath(path.hasPrefix("/") ? path : "/\(path)")
            matcher.refusesOtherQuery = false
            var take = Take(status: try StubParts.status(node["statusCode"]))
            take.reason = StubParts.reason(node["statusText"]?.text, take.status)
            var fields: [HeaderField] = []
            for header in node["headers"]?.items ?? [] where header["disabled"]?.bool != true {
                fields.append(HeaderField(header["name"]?.text ?? "", header["value"]?.text ?? ""))
            }
            if let type = node["mimeType"]?.text, !type.isEmpty, !fields.contains(named: "content-type") {
                fields.append(HeaderField("content-type", type))
            }
            take.headers = StubParts.headers(fields)
            take.body = StubParts.body(Array((node["body"]?.text ?? "").utf8))
            let variant = Variant(name: "route", takes: [take])
            return ImportedStub(set: ResponseSet(name: "\(method) \(path)", request: matcher, variants: [variant]))
        }
    }
}
