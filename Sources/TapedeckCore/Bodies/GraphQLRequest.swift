/// The GraphQL operation of a request (GraphQL over HTTP, section 5).
package struct GraphQLRequest: Sendable, Equatable {
    /// The member `operationName`, or else the only named operation of the query; `nil` when neither is there.
    package var operationName: String?
    /// The query document; empty for a persisted query that sends only its hash.
    package var query: String
    /// `nil` if missing or null.
    package var variables: JSONValue?

    /// Returns the operations of a body: one, or those of a list. Empty if it is not GraphQL.
    package static func operations(in value: JSONValue) -> [GraphQLRequest] {
        if case .array(let items) = value { return items.compactMap(GraphQLRequest.init) }
        return GraphQLRequest(value).map { [$0] } ?? []
    }

    private init?(_ value: JSONValue) {
        if let query = value["query"]?.stringValue {
            self.query = query
        } else {
            guard value["extensions"]?["persistedQuery"] != nil else { return nil }
            self.query = ""
        }
        if let name = value["operationName"]?.stringValue, !name.isEmpty {
            self.operationName = name
        } else {
            let names = GraphQLDocument.operationNames(in: self.query)
            self.operationName = names.count == 1 ? names[0] : nil
        }
        self.variables = value["variables"].flatMap { $0 == .null ? nil : $0 }
    }
}

extension GraphQLRequest {
    /// Returns a body with its GraphQL requests in one spelling: the document by its tokens, without an operation name that
    /// the document has alone, and without empty variables and extensions. Other bodies stay as they are.
    static func normalised(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items) where items.contains(where: { $0["query"]?.stringValue != nil }):
            return .array(items.map(self.normalisedRequest))
        case .object: return self.normalisedRequest(value)
        default: return value
        }
    }

    private static func normalisedRequest(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value, let query = value["query"]?.stringValue,
            let tokens = GraphQLDocument.normalised(query)
        else { return value }
        let names = GraphQLDocument.operationNames(in: query)
        return .object(
            members.compactMap { member in
                switch (member.name, member.value) {
                case ("query", _): return JSONMember(name: "query", value: .string(tokens))
                case ("operationName", .null), ("variables", .null), ("extensions", .null): return nil
                case ("operationName", .string(let name)): return name.isEmpty || names == [name] ? nil : member
                case ("variables", .object(let members)), ("extensions", .object(let members)):
                    return members.isEmpty ? nil : member
                default: return member
                }
            }
        )
    }
}
