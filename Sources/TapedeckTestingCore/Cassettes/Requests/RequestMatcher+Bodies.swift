public import Foundation

extension RequestMatcher {
    /// The conditions on a part of a `multipart/form-data` body.
    public struct Part: Sendable, Equatable {
        let shape: Tapedeck.JSON

        /// - Parameters:
        ///   - content: what it holds.
        ///   - filename: the name of its file.
        ///   - contentType: its `Content-Type`.
        public init(
            content: ValueMatcher? = nil,
            filename: ValueMatcher? = nil,
            contentType: ValueMatcher? = nil
        ) {
            let members = [("content", content), ("filename", filename), ("contentType", contentType)]
            let said = members.compactMap { name, value in value.map { Tapedeck.JSON.Member(name, $0.shape) } }
            self.shape = said.isEmpty ? ["content": ValueMatcher.present.shape] : Tapedeck.JSON(said)
        }
    }

    /// The type that all values at a place in JSON must have.
    public enum JSONType: String, Sendable {
        case null
        case boolean
        case number
        case string
        case array
        case object
    }

    /// The body is this JSON: the order of members and the spelling of numbers do not count.
    ///
    /// `{{any.uuid}}`, `{{any.timestamp}}`, `{{any.number}}`, `{{any.string}}`, `{{any.boolean}}` and `{{any}}` in its
    /// strings match values that change.
    ///
    /// ```swift
    /// .post("/orders").json(["id": "{{any.uuid}}", "sku": "a1"], ignoring: ["$.sentAt"])
    /// ```
    ///
    /// - Parameters:
    ///   - json: the body. A string literal is a JSON string; for a JSON text use
    ///     ``json(text:ignoring:ignoringArrayOrder:)``.
    ///   - paths: JSONPaths (RFC 9535) of ignored values, on both sides.
    ///   - ignoringArrayOrder: true if arrays with the same items in another order are equal.
    public func json(_ json: Tapedeck.JSON, ignoring paths: [String] = [], ignoringArrayOrder: Bool = false) -> Self {
        self.json(text: json.cassetteText, ignoring: paths, ignoringArrayOrder: ignoringArrayOrder)
    }

    /// The body is this JSON, as ``json(_:ignoring:ignoringArrayOrder:)``, which is given as a text.
    public func json(text: String, ignoring paths: [String] = [], ignoringArrayOrder: Bool = false) -> Self {
        var members: [Tapedeck.JSON.Member] = [Tapedeck.JSON.Member("json", Tapedeck.JSON(text))]
        if !paths.isEmpty { members.append(Tapedeck.JSON.Member("ignore", Tapedeck.JSON(texts: paths))) }
        if ignoringArrayOrder { members.append(Tapedeck.JSON.Member("ignoreArrayOrder", true)) }
        return self.adding(body: members)
    }

    /// The body has all that this JSON has, and maybe more: each member, and each item of an array in any order.
    public func jsonSubset(_ json: Tapedeck.JSON) -> Self {
        self.adding(body: [Tapedeck.JSON.Member("jsonSubset", Tapedeck.JSON(json.cassetteText))])
    }

    /// Requires the values that a JSONPath (RFC 9535) selects from the body to match.
    ///
    /// ```swift
    /// .post("/orders").jsonPath("$.items[0].count", .greaterThan(0)).jsonPath("$.items", count: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - path: the JSONPath.
    ///   - value: what one of the values must be. Numbers are compared as numbers, and `2` is met by `"2"` too.
    ///   - count: how many values the path selects.
    ///   - type: what all of the values must be.
    public func jsonPath(
        _ path: String,
        _ value: ValueMatcher? = nil,
        count: Int? = nil,
        type: JSONType? = nil
    ) -> Self {
        var members: [Tapedeck.JSON.Member] = []
        if let value { members = value.shape.members ?? [Tapedeck.JSON.Member("equals", value.shape)] }
        if value?.shape.array != nil { members = [Tapedeck.JSON.Member("values", value?.shape ?? .null)] }
        if let count { members.append(Tapedeck.JSON.Member("count", Tapedeck.JSON(count))) }
        if let type { members.append(Tapedeck.JSON.Member("type", Tapedeck.JSON(type.rawValue))) }
        let isPlain = count == nil && type == nil
        let test = members.isEmpty ? ValueMatcher.present.shape : Tapedeck.JSON(members)
        return self.adding(part: "jsonPath", path, isPlain ? value?.shape ?? test : test)
    }

    /// The body is this text, byte by byte, or a text that is as it must be. `""` is an empty body.
    public func text(_ value: ValueMatcher) -> Self {
        self.adding(body: [Tapedeck.JSON.Member("text", value.shape)])
    }

    /// A regular expression (PCRE2) matches some part of the body.
    public func body(pattern: String, ignoringCase: Bool = false) -> Self {
        self.adding(body: [Tapedeck.JSON.Member("pattern", Self.pattern(pattern, ignoringCase))])
    }

    /// The body has these bytes.
    public func body(_ data: Data) -> Self {
        self.adding(body: [Tapedeck.JSON.Member("base64", Tapedeck.JSON(data.base64EncodedString()))])
    }

    /// The body, as received, has this SHA-256 digest: 64 hexadecimal digits.
    public func body(sha256: String) -> Self {
        self.adding(body: [Tapedeck.JSON.Member("sha256", Tapedeck.JSON(sha256))])
    }

    /// The body is `application/x-www-form-urlencoded`, and a field of it is as it must be.
    public func form(_ field: String, _ value: ValueMatcher) -> Self {
        self.adding(part: "form", field, value.shape)
    }

    /// Allows or refuses form fields that ``form(_:_:)`` does not name. The default allows them.
    public func otherFields(_ others: Others) -> Self {
        var copy = self
        copy.body.removeAll { $0.name == "otherFields" }
        if !copy.body.contains(where: { $0.name == "form" }) { copy.body.append(Tapedeck.JSON.Member("form", [:])) }
        copy.body.append(Tapedeck.JSON.Member("otherFields", Tapedeck.JSON(others.rawValue)))
        return copy
    }

    /// The body is `multipart/form-data`, and a part of it is as it must be.
    public func multipart(_ name: String, _ content: ValueMatcher) -> Self {
        self.adding(part: "multipart", name, Part(content: content).shape)
    }

    /// The body is `multipart/form-data`, and a part of it is as it must be.
    ///
    /// ```swift
    /// .post("/photos").multipart("photo", .init(filename: .suffix(".jpg")))
    /// ```
    public func multipart(_ name: String, _ part: Part) -> Self {
        self.adding(part: "multipart", name, part.shape)
    }

    /// It is a GraphQL request with such an operation.
    ///
    /// ```swift
    /// .post("/graphql").graphQL("Search", variables: ["first": 10])
    /// ```
    ///
    /// - Parameters:
    ///   - operation: its name.
    ///   - variables: what its variables have, and maybe more.
    public func graphQL(_ operation: ValueMatcher, variables: Tapedeck.JSON? = nil) -> Self {
        guard let variables else {
            let isName = operation.shape.string != nil
            return self.adding(
                body: [Tapedeck.JSON.Member("graphql", isName ? operation.shape : ["operation": operation.shape])]
            )
        }
        let shape: Tapedeck.JSON = ["operation": operation.shape, "variables": Tapedeck.JSON(variables.cassetteText)]
        return self.adding(body: [Tapedeck.JSON.Member("graphql", shape)])
    }

    // MARK: Adding

    /// The first of the members is the condition, the others say more about it.
    private func adding(body members: [Tapedeck.JSON.Member]) -> Self {
        // In a cassette, a digest excludes other conditions on the body.
        let standsAlone = (self.body + members.prefix(1)).contains { $0.name == "sha256" } && !self.body.isEmpty
        var copy = self
        if standsAlone || self.body.contains(where: { $0.name == members.first?.name }) {
            copy.all.append(RequestMatcher().adding(body: members))
        } else {
            copy.body += members
        }
        return copy
    }

    /// Adds to a condition that has parts with names.
    private func adding(part key: String, _ name: String, _ value: Tapedeck.JSON) -> Self {
        var copy = self
        guard let place = self.body.firstIndex(where: { $0.name == key }) else {
            return self.adding(body: [Tapedeck.JSON.Member(key, Tapedeck.JSON([Tapedeck.JSON.Member(name, value)]))])
        }
        if self.body[place].value[name] == nil {
            copy.body[place].value[name] = value
        } else {
            copy.all.append(RequestMatcher().adding(part: key, name, value))
        }
        return copy
    }
}

extension Tapedeck.JSON {
    /// The text for a cassette: on several lines if that is easier to read.
    var cassetteText: String {
        let text = self.text
        return text.utf8.count > 60 ? self.prettyText + "\n" : text
    }
}
