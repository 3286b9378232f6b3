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
