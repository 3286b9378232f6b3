extension RequestMatcher {
    /// As the `request` of a question to the journal, as JSON text; `{}` is every request.
    package var json: String { self.shape.text }

    /// As the `request` of a response set, which must say something about the URL.
    var setShape: Tapedeck.JSON {
        guard self.url == nil, self.host == nil else { return self.shape }
        var copy = self
        copy.url = .pattern("/.*")
        return copy.shape
    }

    /// As a condition within another, which must say something.
    var conditionShape: Tapedeck.JSON {
        self == .any ? self.setShape : self.shape
    }

    /// The keys of a cassette's `request`, in the order that the deck writes them.
    private var shape: Tapedeck.JSON {
        var url: (key: String, value: Tapedeck.JSON)?
        switch self.url {
        case .exact(let text): url = ("url", Tapedeck.JSON(text))
        case .template(let text): url = ("urlTemplate", Tapedeck.JSON(text))
        case .pattern(let pattern): url = ("urlPattern", pattern)
        case .call(let method): url = ("grpc", Tapedeck.JSON(method))
        case nil: break
        }
        var host: (key: String, value: Tapedeck.JSON)?
        switch self.host {
        case .names(let names): host = Self.oneOrList(names).map { ("host", $0) }
        case .pattern(let pattern): host = ("hostPattern", pattern)
        case nil: break
        }
        let not = self.not.map(\.conditionShape)
        return Tapedeck.JSON(shape: [
            ("method", Self.oneOrList(self.methods)), (url?.key ?? "url", url?.value),
            (host?.key ?? "host", host?.value),
            ("query", Tapedeck.JSON(unlessEmpty: self.query)),
            ("otherQuery", self.otherQuery.map { Tapedeck.JSON($0.rawValue) }),
            ("headers", Tapedeck.JSON(unlessEmpty: self.headers)),
            ("cookies", Tapedeck.JSON(unlessEmpty: self.cookies)),
            ("body", Tapedeck.JSON(unlessEmpty: self.body)), ("messages", self.messages.map { Tapedeck.JSON($0) }),
            ("state", Tapedeck.JSON(unlessEmpty: self.state)),
            ("all", Tapedeck.JSON(unlessEmpty: self.all.map(\.conditionShape))),
            ("any", Tapedeck.JSON(unlessEmpty: self.alternatives.map(\.conditionShape))),
            ("not", not.count == 1 ? not[0] : Tapedeck.JSON(unlessEmpty: not)),
        ])
    }

    private static func oneOrList(_ texts: [String]) -> Tapedeck.JSON? {
        texts.count == 1 ? Tapedeck.JSON(texts[0]) : Tapedeck.JSON(unlessEmpty: texts.map { Tapedeck.JSON($0) })
    }

    /// The value for the cassette: its default refuses further parameters of a `url`, and allows those of everything
    /// else except a template with a query.
    private var otherQuery: Others? {
        guard case .exact(let text) = self.url else {
            // A template with a query is just that, and the deck says so rather than refuse the parameters at each request.
            if case .template(let text) = self.url, text.contains("?") { return self.others }
            return self.others == .refused ? .refused : nil
        }
        switch self.others {
        case .allowed: return .allowed
        case .refused: return nil
        case nil: return text.contains("?") ? nil : .allowed
        }
    }
}

extension RequestMatcher: CustomStringConvertible {
    /// In a few words: `POST /login`, `GET /users/{id} with query page = 2`.
    public var description: String {
        if self.methods.isEmpty, self.url == nil, self.host == nil, self.conditions.isEmpty,
            !self.alternatives.isEmpty
        {
            return self.alternatives.map(\.description).joined(separator: " or ")
        }
        let method = self.methods.isEmpty ? "any" : self.methods.joined(separator: " or ")
        let url: String? =
            switch self.url {
            case .exact(let text), .template(let text): text
            case .pattern(let pattern): "matching \(pattern.string ?? pattern["pattern"]?.string ?? "")"
            case .call(let name): "call of \(name)"
            case nil: nil
            }
        let host: String? =
            switch self.host {
            case .names(let names): "at \(names.joined(separator: " or "))"
            case .pattern(let pattern): "at a host matching \(pattern.string ?? pattern["pattern"]?.string ?? "")"
            case nil: nil
            }
        let start = [method, url ?? "request", host].compactMap { $0 }.joined(separator: " ")
        var conditions = self.conditions
        if !self.alternatives.isEmpty {
            conditions.append(self.alternatives.map { "(\($0))" }.joined(separator: " or "))
        }
        return conditions.isEmpty ? start : "\(start) with \(conditions.joined(separator: ", "))"
    }

    /// Everything but method, URL, host and alternatives.
    private var conditions: [String] {
        func words(_ what: String, _ members: [Tapedeck.JSON.Member]) -> [String] {
            members.map { "\(what) \($0.name) \(ValueMatcher($0.value))" }
        }
        return words("query", self.query) + (self.others == .refused ? ["no other query"] : [])
            + words("header", self.headers) + words("cookie", self.cookies)
            + self.body.flatMap { Self.words($0) }
            + (self.messages.map { ["messages \(Self.short(Tapedeck.JSON($0).text))"] } ?? [])
            + self.state.map { "state \($0.name) \($0.value.isNull ? "not set" : "= \($0.value.string ?? "")")" }
            + self.all.map { "(\($0))" } + self.not.map { "not (\($0))" }
    }

    private static func words(_ member: Tapedeck.JSON.Member) -> [String] {
        let text = member.value.string.map { Self.short($0) } ?? ""
        switch member.name {
        case "json": return ["JSON \(text)"]
        case "jsonSubset": return ["JSON that has \(text)"]
        case "text": return ["body \(ValueMatcher(member.value))"]
        case "pattern": return ["body matching /\(member.value.string ?? member.value["pattern"]?.string ?? "")/"]
        case "base64": return ["certain bytes"]
        case "sha256": return ["body of SHA-256 \(text)"]
        case "jsonPath":
            return (member.value.members ?? []).map { "\($0.name) \(ValueMatcher($0.value))" }
        case "form", "multipart":
            let what = member.name == "form" ? "field" : "part"
            return (member.value.members ?? []).map { "\(what) \($0.name) \(Self.part($0.value))" }
        case "graphql":
            let operation = member.value["operation"] ?? member.value
            let variables = member.value["variables"]?.string.map { " and variables \(Self.short($0))" }
            return ["GraphQL operation \(ValueMatcher(operation))\(variables ?? "")"]
        default: return []
        }
    }

    /// A part of a multipart body may be several things.
    private static func part(_ value: Tapedeck.JSON) -> String {
        let names = ["content", "filename", "contentType"]
        guard let members = value.members, members.allSatisfy({ names.contains($0.name) }) else {
            return ValueMatcher(value).description
        }
        return members.map { "\($0.name) \(ValueMatcher($0.value))" }.joined(separator: " and ")
    }

    /// JSON on one line, and not too much of it.
    private static func short(_ text: String) -> String {
        let line = (try? Tapedeck.JSON(parsing: text))?.text ?? text
        return line.count > 80 ? line.prefix(79) + "…" : line
    }
}
