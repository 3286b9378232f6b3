import TapedeckCore
import TapedeckJSON

/// Makes the requests that Bruno sends for the items of a collection.
struct BrunoSender {
    let variables: BrunoVariables
    /// Those of the collection and the folders from the outside in.
    let scopes: [BrunoScope]
    /// Reads a file beside the collection.
    let side: ImportFile.Sides

    /// Returns the request of an item.
    func request(_ item: BrunoItem) throws(LeftOut) -> ForeignRequest {
        guard item.kind != "grpc", item.kind != "ws", item.kind != "websocket" else {
            throw LeftOut("it is no HTTP request: \(item.kind)", line: item.line)
        }
        var draft = RequestDraft()
        draft.title = item.name
        draft.method = item.request.method ?? "GET"
        do throws(UnfilledPlaceholder) {
            for field in (self.scopes.map(\.headers) + [item.request.headers]).joined() where field.isEnabled {
                draft.set(try self.variables.filled(field.name), try self.variables.filled(field.value))
            }
            draft.fields.removeAll { $0.name.isEmpty }
            draft.url = try self.url(item.request, encodes: item.encodesURL)
            if let problem = try self.authorise(&draft, item.scope.auth) { throw UnfilledPlaceholder(problem) }
            if let problem = try self.addBody(item.request.body, to: &draft) { throw UnfilledPlaceholder(problem) }
            if item.scope.hasScript || self.scopes.contains(where: \.hasScript) {
                draft.notes.append("the script before it is not run")
            }
            draft.notes += Self.notes(item.request)
        } catch {
            throw LeftOut(error.reason, line: item.line)
        }
        return try draft.request(line: item.line)
    }

    /// Returns the exchange of an example.
    func exchange(_ example: BrunoExample, of item: BrunoItem) throws(LeftOut) -> ForeignExchange {
        guard let request = example.request else { throw LeftOut("it has no request", line: example.line) }
        guard let response = example.response else { throw LeftOut("it has no response", line: example.line) }
        var draft = RequestDraft()
        draft.method = request.method ?? item.request.method ?? "GET"
        do throws(UnfilledPlaceholder) {
            draft.url = try self.url(request, encodes: item.encodesURL)
        } catch {
            throw LeftOut(error.reason, line: example.line)
        }
        for field in request.headers where field.isEnabled && !field.name.isEmpty {
            do throws(UnfilledPlaceholder) {
                draft.set(field.name, try self.variables.filled(field.value))
            } catch {
                draft.notes.append("the header field '\(field.name)' is left out: \(error.reason)")
            }
        }
        let missing = self.bodyProblem(request.body, in: &draft)
        draft.notes += missing.map { ["its request body is no condition: \($0)"] } ?? []
        draft.notes += Self.notes(request)
        var exchange = try draft.exchange(
            status: response.status,
            reason: response.reason,
            fields: response.headers.map { HeaderField($0.name, $0.value) },
            body: response.body,
            line: example.line
        )
        exchange.lacksRequestBody = missing != nil
        return exchange
    }

    private func bodyProblem(_ body: BrunoBody, in draft: inout RequestDraft) -> String? {
        do throws(UnfilledPlaceholder) {
            return try self.addBody(body, to: &draft)
        } catch {
            return error.reason
        }
    }

    /// Bruno sends the query of the URL alone; its window keeps the parameters equal to it.
    private static func notes(_ request: BrunoRequest) -> [String] {
        let enabled = request.queryParameters.filter(\.isEnabled)
        guard !enabled.isEmpty, request.url?.contains("?") == false else { return [] }
        return ["its query parameters are not sent: its URL has no query, which Bruno sends alone"]
    }

    // MARK: URL

    private func url(_ request: BrunoRequest, encodes: Bool) throws(UnfilledPlaceholder) -> String {
        guard let written = request.url, !written.isEmpty else { throw UnfilledPlaceholder("it has no URL") }
        var url = try self.variables.filled(written)
        if RequestURL.schemeEnd(of: url) == nil { url = "http://\(url)" }
        if !request.pathParameters.isEmpty {
            let query = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
            let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
            let parts = url[start..<max(start, query)].split(separator: "/", omittingEmptySubsequences: false)
            var segments: [String] = []
            for part in parts { segments.append(try self.segment(String(part), request.pathParameters)) }
            url = url[..<start] + segments.joined(separator: "/") + url[max(start, query)...]
        }
        return encodes ? Self.encoded(url) : url
    }

    /// Returns a segment of a path with the values of parameters: `:name`, or `Set(':name')` as OData has it.
    private func segment(_ part: String, _ parameters: [BrunoField]) throws(UnfilledPlaceholder) -> String {
        if part.hasPrefix(":") { return try self.value(String(part.dropFirst()), parameters) ?? part }
        guard part.hasSuffix(")"), part.contains("("), part.contains(":") else { return part }
        var result = ""
        var rest = part[...]
        while let colon = rest.firstIndex(of: ":") {
            let name = rest[rest.index(after: colon)...].prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
            result += rest[..<colon]
            result += try self.value(String(name), parameters) ?? ":\(name)"
            rest = rest[name.endIndex...]
        }
        return result + rest
    }

    /// Returns the value of a parameter of the path; `nil` for a name that is none.
    private func value(_ name: String, _ parameters: [BrunoField]) throws(UnfilledPlaceholder) -> String? {
        guard let parameter = parameters.first(where: { $0.name == name }) else { return nil }
        let value = try self.variables.filled(parameter.value)
        guard parameter.isEnabled, !RequestText.isBlank(value) else {
            throw UnfilledPlaceholder("its path parameter '\(name.prefix(80))' has no value")
        }
        return value
    }

    /// Encodes path and query as Bruno does it if a request says so: values that are encoded are encoded once more.
    private static func encoded(_ url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let path = url[start...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? url.endIndex
        let query = url[path...].firstIndex(of: "?") ?? url.endIndex
        let segments = url[path..<query].split(separator: "/", omittingEmptySubsequences: false).map { part in
            RequestURL.component(PercentEncoding.text(part) ?? String(part))
        }
        guard query < url.endIndex else { return url[..<path] + segments.joined(separator: "/") }
        let pairs = url[query...].dropFirst().split(separator: "&").filter { !$0.hasPrefix("=") }.map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { RequestURL.component(String($0)) }.joined(separator: "=")
        }
        return "\(url[..<path])\(segments.joined(separator: "/"))?\(pairs.joined(separator: "&"))"
    }

    // MARK: Auth

    /// Adds what proves who sends the request. Returns the reason for which it cannot be sent.
    private func authorise(
        _ draft: inout RequestDraft,
        _ own: BrunoAuth
    ) throws(UnfilledPlaceholder) -> String? {
        var auth = own
        if auth.mode == "inherit" {
            let folders = self.scopes.dropFirst().reversed().map(\.auth)
            auth = folders.first { $0.mode != "none" && $0.mode != "inherit" } ?? self.scopes.first?.auth ?? BrunoAuth()
        }
        var values: [String: String] = [:]
        switch auth.mode {
        case "none", "inherit", "": return nil
        case "basic", "bearer", "apikey":
            for (name, value) in auth.values { values[name] = try self.variables.filled(value) }
        default: return "its authentication '\(auth.mode.prefix(40))' cannot be sent"
        }
        switch auth.mode {
        case "basic": draft.set("Authorization", RequestDraft.basic(values["username"] ?? "", values["password"] ?? ""))
        case "bearer": draft.set("Authorization", "Bearer \(values["token"] ?? "")")
        default:
            guard let key = values["key"], !key.isEmpty else { return nil }
            if values["placement"] == "queryparams" {
                let pair = "\(ForeignText.formEncoded(key))=\(ForeignText.formEncoded(values["value"] ?? ""))"
                draft.url = RequestURL.appending(pair, to: draft.url)
            } else {
                draft.set(key, values["value"] ?? "")
            }
        }
        return nil
    }
}
