import TapedeckCore

/// Reads OpenCollection documents, Bruno's files in YAML: requests, the defaults of collections and folders, and
/// environments.
enum OpenCollection {
    /// The kind of an item: `http`, `graphql`, `folder` and so on; empty for what is none.
    static func kind(_ node: ForeignNode) -> String {
        if let type = node["info"]?["type"]?.text ?? node["type"]?.text { return type }
        for name in ["http", "graphql", "grpc", "websocket"] where node[name] != nil { return name }
        return node["items"] != nil ? "folder" : ""
    }

    /// Reads a request.
    static func item(_ node: ForeignNode) throws(LeftOut) -> BrunoItem {
        var item = BrunoItem()
        item.line = node.line
        item.name = node["info"]?["name"]?.text
        item.kind = self.kind(node)
        item.sequence = node["info"]?["seq"]?.int
        let request = node[item.kind] ?? node["http"]
        item.request = try self.request(request, isGraphQL: item.kind == "graphql")
        item.scope.variables = self.variables(node["runtime"]?["variables"])
        // Versions before 3.0 wrote the auth beside the variables.
        item.scope.auth = self.auth(request?["auth"] ?? node["runtime"]?["auth"])
        item.scope.hasScript = self.hasScript(node["runtime"]?["scripts"])
        if let settings = node["settings"], settings.isMap { item.encodesURL = settings["encodeUrl"]?.bool ?? true }
        item.examples = (node["examples"]?.items ?? []).map(self.example)
        return item
    }

    /// Reads the defaults of a collection or a folder.
    static func scope(_ node: ForeignNode) -> BrunoScope {
        let request = node["request"]
        var scope = BrunoScope()
        scope.headers = self.fields(request?["headers"])
        scope.variables = self.variables(request?["variables"])
        scope.auth = self.auth(request?["auth"])
        scope.hasScript = self.hasScript(request?["scripts"])
        return scope
    }

    /// Returns the variables of an environment, a request or its defaults.
    static func variables(_ node: ForeignNode?) -> [BrunoField] {
        (node?.items ?? []).compactMap { item in
            guard let name = item["name"]?.text else { return nil }
            let value = item["value"]
            return BrunoField(
                name: name,
                value: value?.text ?? value?["data"]?.text ?? "",
                isEnabled: item["disabled"]?.bool != true,
                isSecret: item["secret"]?.bool == true
            )
        }
    }

    private static func fields(_ node: ForeignNode?) -> [BrunoField] {
        (node?.items ?? []).compactMap { item in
            guard let name = item["name"]?.text else { return nil }
            return BrunoField(name: name, value: item["value"]?.text ?? "", isEnabled: item["disabled"]?.bool != true)
        }
    }

    private static func auth(_ node: ForeignNode?) -> BrunoAuth {
        if let text = node?.text { return BrunoAuth(mode: text) }
        guard let node, let type = node["type"]?.text else { return BrunoAuth() }
        let pairs = node.pairs.compactMap { pair -> (String, String)? in
            guard let name = pair.key.text, let value = pair.value.text else { return nil }
            return (name, value)
        }
        var values = Dictionary(pairs) { $1 }
        if values["placement"] == "query" { values["placement"] = "queryparams" }
        return BrunoAuth(mode: type, values: values)
    }

    private static func hasScript(_ node: ForeignNode?) -> Bool {
        (node?.items ?? []).contains { item in
            item["type"]?.text == "before-request" && item["code"]?.text?.isEmpty == false
        }
    }

    private static func request(_ node: ForeignNode?, isGraphQL: Bool) throws(LeftOut) -> BrunoRequest {
        var request = BrunoRequest()
        guard let node else { return request }
        request.method = node["method"]?.text ?? (isGraphQL ? "POST" : "GET")
        request.url = node["url"]?.text
        request.headers = self.fields(node["headers"])
        for parameter in node["params"]?.items ?? [] {
            let fields = self.fields(ForeignNode(.list([parameter]), line: parameter.line))
            if parameter["type"]?.text == "path" {
                request.pathParameters += fields
            } else {
                request.queryParameters += fields
            }
        }
        request.body = try self.body(node["body"], isGraphQL: isGraphQL)
        return request
    }

    private static let modes = [
        "json": "json", "text": "text", "xml": "xml", "sparql": "sparql", "form-urlencoded": "formUrlEncoded",
        "multipart-form": "multipartForm", "file": "file",
    ]

    private static func body(_ node: ForeignNode?, isGraphQL: Bool) throws(LeftOut) -> BrunoBody {
        guard var node, !node.isNull else { return BrunoBody() }
        if node.isList {
            // Of several bodies one is selected.
            guard let first = node.items.first else { return BrunoBody() }
            let chosen = node.items.first { $0["selected"]?.bool == true } ?? first
            node = chosen["body"] ?? chosen
        }
        var body = BrunoBody()
        if isGraphQL {
            body.mode = "graphql"
            body.query = node["query"]?.text ?? ""
            body.variables = node["variables"]?.text ?? ""
            return body
        }
        guard let type = node["type"]?.text, let mode = self.modes[type] else {
            let type = node["type"]?.text.map { "the type '\($0.prefix(40))'" } ?? "no type"
            throw LeftOut("its body has \(type)", line: node.line)
        }
        body.mode = mode
        body.text = node["data"]?.text ?? ""
        body.form = self.fields(node["data"])
        for item in node["data"]?.items ?? [] {
            var part = BrunoPart(name: item["name"]?.text ?? "", value: item["value"]?.text ?? "")
            part.type = item["contentType"]?.text
            part.isEnabled = item["disabled"]?.bool != true && (mode != "file" || item["selected"]?.bool == true)
            if item["type"]?.text == "file" {
                part.files = item["value"]?.text.map { [$0] } ?? (item["value"]?.items ?? []).compactMap(\.text)
            } else if mode == "file" {
                part.files = [item["filePath"]?.text ?? ""]
            }
            body.parts.append(part)
        }
        return body
    }

    private static func example(_ node: ForeignNode) -> Result<BrunoExample, LeftOut> {
        do throws(LeftOut) {
            var example = BrunoExample(name: node["name"]?.text, line: node.line)
            if let request = node["request"], request.isMap {
                example.request = try self.request(request, isGraphQL: false)
            }
            if let response = node["response"], response.isMap {
                var read = BrunoExample.Response()
                try read.take(code: response["status"]?.text, text: response["statusText"]?.text, line: response.line)
                read.headers = self.fields(response["headers"])
                read.body = Array((response["body"]?["data"]?.text ?? "").utf8)
                example.response = read
            }
            return .success(example)
        } catch {
            return .failure(error)
        }
    }
}
