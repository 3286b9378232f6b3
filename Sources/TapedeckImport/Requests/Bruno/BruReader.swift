import TapedeckCore

/// Reads `.bru` files: requests, the defaults of collections and folders, and environments.
enum BruReader {
    private static let methods: Set<String> = [
        "connect", "delete", "get", "head", "options", "patch", "post", "put", "trace",
    ]

    /// Reads a request.
    static func item(_ bytes: [UInt8]) throws(LeftOut) -> BrunoItem {
        var item = BrunoItem()
        var bodies = Bodies()
        var mode: String?
        var auths: [String: [String: String]] = [:]
        var text = try self.text(bytes)
        while let start = try text.next() {
            guard case .block(let name, let rest) = start else { continue }
            let line = text.line - 1
            switch name {
            case "meta":
                let values = Self.values(try text.pairs(rest: rest))
                item.name = values["name"]
                item.kind = values["type"] ?? "http"
                item.sequence = values["seq"].flatMap { Int($0) }
            case _ where Self.methods.contains(name) || name == "http":
                let values = Self.values(try text.pairs(rest: rest))
                item.line = line
                item.request.method = name == "http" ? values["method"] : name
                item.request.url = values["url"]
                mode = values["body"] ?? mode
                item.scope.auth.mode = values["auth"] ?? "none"
            case "grpc", "ws":
                item.kind = name
                item.line = line
                _ = try text.text(rest: rest)
            case "headers": item.request.headers += Self.fields(try text.pairs(rest: rest))
            case "query", "params:query": item.request.queryParameters += Self.fields(try text.pairs(rest: rest))
            case "params:path": item.request.pathParameters += Self.fields(try text.pairs(rest: rest))
            case "vars:pre-request": item.scope.variables += Self.variables(try text.pairs(rest: rest))
            case "settings": item.encodesURL = Self.values(try text.pairs(rest: rest))["encodeUrl"] == "true"
            case "script:pre-request": item.scope.hasScript = !RequestText.isBlank(try text.text(rest: rest).outdented)
            case "example": item.examples.append(self.example(try text.text(rest: rest), line: line))
            case _ where name.hasPrefix("auth:"):
                auths[String(name.dropFirst(5))] = Self.values(try text.pairs(rest: rest))
            case _ where name == "body" || name.hasPrefix("body:"):
                if name == "body" { mode = mode ?? "json" }
                try bodies.take(name, rest: rest, from: &text)
            default: _ = try text.text(rest: rest)
            }
        }
        item.request.body = bodies.body(mode ?? "none")
        item.scope.auth.values = auths[item.scope.auth.mode] ?? [:]
        return item
    }

    /// Reads the defaults of a collection or a folder, and its place among folders.
    static func scope(_ bytes: [UInt8]) throws(LeftOut) -> BrunoScope {
        var scope = BrunoScope()
        var auths: [String: [String: String]] = [:]
        var text = try self.text(bytes)
        while let start = try text.next() {
            guard case .block(let name, let rest) = start else { continue }
            switch name {
            case "headers": scope.headers += Self.fields(try text.pairs(rest: rest))
            case "vars:pre-request": scope.variables += Self.variables(try text.pairs(rest: rest))
            case "auth": scope.auth.mode = Self.values(try text.pairs(rest: rest))["mode"] ?? "none"
            case "script:pre-request": scope.hasScript = !RequestText.isBlank(try text.text(rest: rest).outdented)
            case _ where name.hasPrefix("auth:"):
                auths[String(name.dropFirst(5))] = Self.values(try text.pairs(rest: rest))
            default: _ = try text.text(rest: rest)
            }
        }
        scope.auth.values = auths[scope.auth.mode] ?? [:]
        return scope
    }

    /// Reads the variables of an environment.
    static func environment(_ bytes: [UInt8]) throws(LeftOut) -> [BrunoField] {
        var fields: [BrunoField] = []
        var text = try self.text(bytes)
        while let start = try text.next() {
            switch start {
            case .block("vars", let rest): fields += Self.variables(try text.pairs(rest: rest))
            case .block(_, let rest): _ = try text.text(rest: rest)
            case .list(let name, let rest):
                let names = try text.list(rest: rest)
                guard name == "vars:secret" else { continue }
                fields += names.filter { !$0.hasPrefix("~") }.map { BrunoField(name: $0, value: "", isSecret: true) }
            case .value: continue
            }
        }
        return fields
    }

    private static func text(_ bytes: [UInt8]) throws(LeftOut) -> BruText {
        guard let lines = RequestText.lines(bytes) else { throw LeftOut("the text is not valid UTF-8", line: 1) }
        return BruText(lines)
    }

    // MARK: Examples

    private static func example(_ block: BruText, line: Int) -> Result<BrunoExample, LeftOut> {
        do throws(LeftOut) {
            return .success(try self.readExample(block, line: line))
        } catch {
            return .failure(error)
        }
    }

    private static func readExample(_ block: BruText, line: Int) throws(LeftOut) -> BrunoExample {
        var example = BrunoExample(line: line)
        var text = block.unindented
        while let start = try text.next() {
            switch start {
            case .value("name", let value): example.name = value
            case .block("request", let rest):
                example.request = try self.request(try text.text(rest: rest).outdented(by: 2))
            case .block("response", let rest):
                example.response = try self.response(try text.text(rest: rest).outdented(by: 2))
            case .block(_, let rest): _ = try text.text(rest: rest)
            case .list(_, let rest): _ = try text.list(rest: rest)
            case .value: continue
            }
        }
        return example
    }

    private static func request(_ block: BruText) throws(LeftOut) -> BrunoRequest {
        var request = BrunoRequest()
        var bodies = Bodies()
        var mode: String?
        var text = block
        while let start = try text.next() {
            switch start {
            case .value("url", let value): request.url = value
            case .value("method", let value): request.method = value
            case .value("mode", let value): mode = value
            case .block("params:query", let rest): request.queryParameters += Self.fields(try text.pairs(rest: rest))
            case .block("params:path", let rest): request.pathParameters += Self.fields(try text.pairs(rest: rest))
            case .block("headers", let rest): request.headers += Self.fields(try text.pairs(rest: rest))
            case .block(let name, let rest) where name.hasPrefix("body:"):
                try bodies.take(name, rest: rest, from: &text)
                mode = mode ?? bodies.lastMode
            case .block(_, let rest): _ = try text.text(rest: rest)
            case .list(_, let rest): _ = try text.list(rest: rest)
            case .value: continue
            }
        }
        request.body = bodies.body(mode ?? "none")
        return request
    }

    private static func response(_ block: BruText) throws(LeftOut) -> BrunoExample.Response {
        var response = BrunoExample.Response()
        var text = block
        while let start = try text.next() {
            guard case .block(let name, let rest) = start else { continue }
            switch name {
            case "headers": response.headers += Self.fields(try text.pairs(rest: rest))
            case "status":
                let line = text.line - 1
                let values = Self.values(try text.pairs(rest: rest))
                try response.take(code: values["code"], text: values["text"], line: line)
            case "body": response.body = Array((try text.text(rest: rest).content() ?? "").utf8)
            default: _ = try text.text(rest: rest)
            }
        }
        return response
    }

    // MARK: Pairs

    private static func values(_ pairs: [BruText.Pair]) -> [String: String] {
        Dictionary(pairs.filter(\.isEnabled).map { ($0.name, $0.value) }) { $1 }
    }

    static func fields(_ pairs: [BruText.Pair]) -> [BrunoField] {
        pairs.map { BrunoField(name: $0.name, value: $0.value, isEnabled: $0.isEnabled) }
    }

    /// Variables with a type have the text that JavaScript makes of their value.
    private static func variables(_ pairs: [BruText.Pair]) -> [BrunoField] {
        pairs.map { pair in
            var field = BrunoField(name: pair.name, value: pair.value, isEnabled: pair.isEnabled)
            if field.name.hasPrefix("@") { field.name.removeFirst() }
            if pair.type != nil { field.value = RequestText.compact(json: pair.value) ?? pair.value }
            return field
        }
    }
}

extension BrunoExample.Response {
    /// Sets status and reason. Versions up to 3.2 wrote those of imported examples the wrong way round.
    mutating func take(code: String?, text: String?, line: Int) throws(LeftOut) {
        var (code, text) = (code ?? "200", text ?? "")
        if Int(code) == nil, Int(text) != nil { (code, text) = (text, code) }
        guard let status = Int(code) else { throw LeftOut("'\(code.prefix(40))' is no status", line: line) }
        self.status = status
        self.reason = text
    }
}
