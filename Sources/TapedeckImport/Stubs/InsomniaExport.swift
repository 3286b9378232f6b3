import TapedeckCore

/// Reads the mock routes and the requests of Insomnia's exports, versions 4 and 5. Insomnia exports no responses.
package struct InsomniaExport: ImportFormat {
    package let name = "insomnia"

    private let values: RequestValues

    /// - Parameter values: those that the files do not have.
    package init(values: RequestValues = RequestValues()) {
        self.values = values
    }

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document, document.isMap else { return false }
        return document["__export_format"] != nil || document["type"]?.text?.contains(".insomnia.rest/") == true
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        var result = ImportedFile()
        for node in document["resources"]?.items ?? [] where node["_type"]?.text == "mock_route" {
            result.stubs.append(Self.route(node))
        }
        for node in (document["routes"] ?? document["server"]?["routes"])?.items ?? [] {
            result.stubs.append(Self.route(node))
        }
        result.requests = InsomniaRequests(document, values: self.values, side: file.side).entries
        return result
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
            return ImportedStub(
                set: ResponseSet(name: "\(method) \(path)", request: matcher, variants: [variant])
            )
        }
    }
}
