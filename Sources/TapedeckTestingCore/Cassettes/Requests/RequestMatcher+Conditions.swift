// MARK: URL, header fields, cookies, state

extension RequestMatcher {
    /// The host is one of these: `api.example.com` (any port), `api.example.com:8443` or `*.example.com`.
    public func host(_ names: String...) -> Self {
        self.adding(host: .names(names))
    }

    /// A regular expression (PCRE2) matches the whole of the host, or of `host:port` where the port is not the scheme's
    /// own.
    public func host(pattern: String, ignoringCase: Bool = false) -> Self {
        self.adding(host: .pattern(Self.pattern(pattern, ignoringCase)))
    }

    /// A query parameter, decoded, is as it must be.
    public func query(_ name: String, _ value: ValueMatcher) -> Self {
        self.adding(\.query, name, value.shape)
    }

    /// Allows or refuses query parameters without a condition. The default allows them, unless the URL has a `?`. The
    /// query of a template is always complete: a deck refuses to allow others.
    ///
    /// ```swift
    /// .get("/search").query("q", "swift").otherQuery(.refused)
    /// ```
    public func otherQuery(_ others: Others) -> Self {
        var copy = self
        copy.others = others
        return copy
    }

    /// A header field is as it must be. The name counts without regard to case; each field is one value.
    public func header(_ name: String, _ value: ValueMatcher) -> Self {
        self.adding(\.headers, name, value.shape)
    }

    /// A cookie of the request is as it must be.
    public func cookie(_ name: String, _ value: ValueMatcher) -> Self {
        self.adding(\.cookies, name, value.shape)
    }

    /// The session's state has this value for a key; with `nil` none.
    public func state(_ key: String, _ value: String?) -> Self {
        self.adding(\.state, key, Tapedeck.JSON(text: value))
    }

    // MARK: Combining

    /// The other one holds as well.
    public func and(_ other: RequestMatcher) -> Self {
        guard other != .any else { return self }
        guard self != .any else { return other }
        var copy = self
        copy.all.append(other)
        return copy
    }

    /// This one holds, or the other one does, or both.
    ///
    /// ```swift
    /// .get("/users").or(.head("/users"))
    /// ```
    public func or(_ other: RequestMatcher) -> Self {
        guard self != .any, other != .any else { return .any }
        var either = RequestMatcher()
        // A choice of several stays one choice.
        either.alternatives = self == RequestMatcher(alternatives: self.alternatives) ? self.alternatives : [self]
        either.alternatives.append(other)
        return either
    }

    /// The other one does not hold.
    ///
    /// ```swift
    /// .any("/users").not(.any.header("authorization", .present))
    /// ```
    public func not(_ other: RequestMatcher) -> Self {
        var copy = self
        copy.not.append(other)
        return copy
    }

    private init(alternatives: [RequestMatcher]) {
        self.init()
        self.alternatives = alternatives
    }

    // MARK: Adding

    func adding(host: Host) -> Self {
        var copy = self
        // A cassette has a host only together with a URL without one.
        let namesOrigin =
            switch self.url {
            case .exact(let text), .template(let text): !text.hasPrefix("/")
            case .pattern(let pattern): !((pattern.string ?? pattern["pattern"]?.string ?? "").hasPrefix("/"))
            case .call, nil: false
            }
        if self.host == nil, !namesOrigin {
            copy.host = host
        } else {
            copy.all.append(RequestMatcher().adding(host: host))
        }
        return copy
    }

    /// Adds a second condition on the same part to the first: neither may be lost.
    func adding(_ part: WritableKeyPath<Self, [Tapedeck.JSON.Member]>, _ name: String, _ value: Tapedeck.JSON) -> Self {
        var copy = self
        if self[keyPath: part].contains(where: { $0.name == name }) {
            copy.all.append(RequestMatcher().adding(part, name, value))
        } else {
            copy[keyPath: part].append(Tapedeck.JSON.Member(name, value))
        }
        return copy
    }
}
