import TapedeckCore

/// Reads the collections that Bruno exports as one JSON file.
enum BrunoExport {
    /// True if a document is such a collection.
    static func recognises(_ document: ForeignNode) -> Bool {
        guard document["version"] != nil, document["info"] == nil, let items = document["items"]?.items, !items.isEmpty
        else { return false }
        return items.allSatisfy {
            ["folder", "js"].contains($0["type"]?.text) || $0["type"]?.text?.hasSuffix("-request") == true
        }
    }

    /// Reads a request.
    static func item(_ node: ForeignNode) throws(LeftOut) -> BrunoItem {
        var item = BrunoItem()
        item.line = node.line
        item.name = node["name"]?.text
        item.kind = (node["type"]?.text ?? "http-request").replacing("-request", with: "")
        let request = node["request"]
        item.request = self.request(request)
        item.scope = self.scope(node)
        item.scope.headers = []
        item.encodesURL = node["settings"]?["encodeUrl"]?.bool ?? false
        item.examples = (node["examples"]?.items ?? []).map(self.example)
        return item
    }

    /// Reads the defaults in the `request` of a collection, a folder or a request.
    static func scope(_ node: ForeignNode?) -> BrunoScope {
        let request = node?["request"]
        var scope = BrunoScope()
        scope.headers = self.fields(request?["headers"])
        scope.variables = self.fields(request?["vars"]?["req"])
        let mode = request?["auth"]?["mode"]?.text ?? "none"
        scope.auth.mode = mode
        for pair in request?["auth"]?[mode]?.pairs ?? [] {
            guard let name = pair.key.text, let value = pair.value.text else { continue }
            scope.auth.values[name] = value
        }
        scope.hasScript = request?["script"]?["req"]?.text?.isEmpty == false
        return scope
    }

    /// Returns fields, parameters or variables.
    static func fields(_ node: ForeignNode?) -> [BrunoField] {
        (node?.items ?? []).compactMap { item in
            guard let name = item["name"]?.text else { return nil }
            return BrunoField(
                name: name,
                value: item["value"]?.text ?? "",
                isEnabled: item["enabled"]?.bool != false,
                isSecret: item["secret"]?.bool == true
            )
        }
    }

    private static func request(_ node: ForeignNode?) -> BrunoRequest {
        var request = BrunoRequest()
        request.method = node?["method"]?.text
        request.url = node?["url"]?.text
        request.headers = self.fields(node?["headers"])
        for parameter in node?["params"]?.items ?? [] {
            let fields = self.fields(ForeignNode(.list([parameter]), line: parameter.line))
            if parameter["type"]?.text == "path" {
                request.pathParameters += fields
            } else {
                request.queryParameters += fields
            }
        }
        request.body = self.body(node?["body"])
        return request
    }

    private static func body(_ node: ForeignNode?) -> BrunoBody {
        var body = BrunoBody()
        guard let node, let mode = node["mode"]?.text else { return body }
        body.mode = mode
        body.text = node[mode]?.text ?? ""
        body.form = self.fields(node["formUrlEncoded"])
        body.query = node["graphql"]?["query"]?.text ?? ""
        body.variables = node["graphql"]?["variables"]?.text ?? ""
        for item in node[mode]?.items ?? [] {
            var part = BrunoPart(name: item["name"]?.text ?? "", value: item["value"]?.text ?? "")
            part.type = item["contentType"]?.text
            part.isEnabled = mode == "file" ? item["selected"]?.bool == true : item["enabled"]?.bool != false
            if mode == "file" {
                part.files = [item["filePath"]?.text ?? ""]
            } else if item["type"]?.text == "file" {
                part.files = (item["value"]?.items ?? []).compactMap(\.text)
            }
            if part.type?.isEmpty == true { part.type = nil }
            body.parts.append(part)
        }
        return body
    }

    private static func example(_ node: ForeignNode) -> Result<BrunoExample, LeftOut> {
        do throws(LeftOut) {
            var example = BrunoExample(name: node["name"]?.text, line: node.line)
            if let request = node["request"], request.isMap { example.request = self.request(request) }
            if let response = node["response"], response.isMap {
                var read = BrunoExample.Response()
                try read.take(code: response["status"]?.text, text: response["statusText"]?.text, line: response.line)
                read.headers = self.fields(response["headers"])
                read.body = Array((response["body"]?["content"]?.text ?? "").utf8)
                example.response = read
            }
            return .success(example)
        } catch {
            return .failure(error)
        }
    }
}
