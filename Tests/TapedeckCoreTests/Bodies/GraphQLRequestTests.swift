import TapedeckCore
import Testing

@Suite
struct GraphQLRequestTests {
    private func operation(_ query: String, _ rest: String = "") throws -> GraphQLRequest {
        let members = try json("{\"x\":0\(rest)}")
        guard case .object(var list) = members else { return try #require(nil) }
        list.append(JSONMember(name: "query", value: .string(query)))
        return try #require(GraphQLRequest.operations(in: .object(list)).first)
    }

    @Test func readsAnOperation() throws {
        let found = try self.operation("query A { a } query B { b }", #","operationName":"B","variables":{"id":1}"#)
        #expect(found.operationName == "B")
        #expect(found.query == "query A { a } query B { b }")
        #expect(found.variables == .object([JSONMember(name: "id", value: .number(JSONNumber(1)))]))
        #expect(try self.operation("{ a }", #","variables":null,"operationName":null"#).variables == nil)
    }

    @Test(arguments: [
        ("{ viewer { login } }", nil), ("query { a }", nil), ("query GetUser { a }", "GetUser"),
        ("query GetUser($id: ID = \"query X\", $o: In = {a: [1]}) @live(a: 1) { user(id: $id) { id } }", "GetUser"),
        ("mutation Save{save}", "Save"), ("subscription\n,Watch { a }", "Watch"), ("query($id: ID) { a }", nil),
        ("query @dir { a }", nil), ("query A { a } query B { b }", nil),
        ("fragment query on T { a } query Q { b }", "Q"),
        ("query Q { ...F } fragment F on T { query mutation }", "Q"), ("# query X { a }\nquery Y { a } # query Z", "Y"),
        ("{ a(s: \"} query X { \\\" \") } ", nil), ("{ a(s: \"\"\"} query X {a} \\\"\"\" } \"\"\") }", nil),
        ("query query { query }", "query"), ("", nil), ("query", nil), ("}}} query A {", nil), ("query A", "A"),
        ("\u{FEFF}query A { a }", "A"), ("{ a(s: \"", nil),
    ])
    func takesTheNameOfTheOnlyNamedOperation(_ query: String, _ name: String?) throws {
        #expect(try self.operation(query).operationName == name)
        #expect(try self.operation(query, #","operationName":"Said""#).operationName == "Said")
    }

    @Test func readsBatches() throws {
        let batch = try json(#"[{"query":"query A{a}"},{"query":"query B{b}","variables":{}},7,{"no":1}]"#)
        #expect(GraphQLRequest.operations(in: batch).map(\.operationName) == ["A", "B"])
    }

    @Test func readsPersistedQueries() throws {
        let value = try json(#"{"operationName":"A","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#)
        let found = GraphQLRequest.operations(in: value)
        #expect(found.map(\.operationName) == ["A"])
        #expect(found.map(\.query) == [""])
    }

    @Test(arguments: ["null", "5", "[]", "{}", #"{"query":5}"#, #"{"operationName":"A"}"#, #""query A {a}""#])
    func findsNoOperationInOtherJSON(_ value: String) throws {
        #expect(try GraphQLRequest.operations(in: json(value)).isEmpty)
    }
}
