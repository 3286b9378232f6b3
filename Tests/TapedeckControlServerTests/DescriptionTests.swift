import TapedeckControlAPI
import TapedeckCore
import Testing

@testable import TapedeckControlServer

/// The description of the API says what the server does.
@Suite struct DescriptionTests {
    private static func document() throws -> JSONValue {
        try JSONValue(parsing: PageAssets.description.bytes)
    }

    private static func members(_ value: JSONValue?) -> [JSONMember] {
        guard case .object(let members) = value else { return [] }
        return members
    }

    /// Returns true for files of the page, which only a browser needs.
    private static func isPart(_ path: String) -> Bool {
        path == "/" || PageAssets.files[path] == nil
    }

    @Test func everyRouteIsDescribedAndEveryDescriptionHasARoute() throws {
        let described = Self.members(try Self.document()["paths"]).flatMap { path in
            Self.members(path.value).map { "\($0.name.uppercased()) \(path.name)" }
        }
        let served = ControlRoute.all.filter { Self.isPart($0.path) }.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(described) == Set(served))
        #expect(described.count == Set(described).count)
        #expect(served.count == Set(served).count)
    }

    @Test func everyParameterOfAPathIsDescribed() throws {
        let document = try Self.document()
        for path in Self.members(document["paths"]) {
            let wanted = path.name.split(separator: "/").filter { $0.first == "{" }.map { $0.dropFirst().dropLast() }
            for operation in Self.members(path.value) {
                guard case .array(let parameters) = operation.value["parameters"] ?? .array([]) else { continue }
                let names = parameters.compactMap { parameter -> String? in
                    let name = parameter["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
                    let found = name.flatMap { document["components"]?["parameters"]?[$0] } ?? parameter
                    return found["in"]?.stringValue == "path" ? found["name"]?.stringValue : nil
                }
                #expect(names == wanted.map(String.init), "\(operation.name) \(path.name)")
            }
        }
    }

    private static func examples(_ schema: String) throws -> [[UInt8]] {
        guard case .array(let examples) = try Self.document()["components"]?["schemas"]?[schema]?["examples"] else {
            return []
        }
        return examples.map(\.compactText)
    }

    @Test func theExampleRequestsAreAccepted() async throws {
        for example in try Self.examples("SessionRequest") {
            _ = try StrictJSON.decode(SessionRequest.self, from: example)
        }
        for example in try Self.examples("Selection") { _ = try StrictJSON.decode(SelectionModel.self, from: example) }
        for example in try Self.examples("ProfileLimits") {
            _ = try StrictJSON.decode(ProfileLimits.self, from: example)
        }
        for example in try Self.examples("StateChange") { _ = try StrictJSON.decode(StateModel.self, from: example) }
        try await RunningControl.use { control in
            for (schema, method, path) in [
                ("ResponseSet", "PUT", "added/example"), ("JournalQuery", "POST", "journal/query"),
                ("WaitRequest", "POST", "journal/wait"), ("ShownTexts", "POST", "texts"),
                ("SnapshotRequest", "POST", "snapshot"),
                ("RecordingRequest", "PUT", "recording"),
            ] {
                let examples = try Self.examples(schema)
                #expect(!examples.isEmpty, "\(schema)")
                for example in examples {
                    let text = String(decoding: example, as: UTF8.self)
                    let answer = try await control.ask(method, "/v1/sessions/default/\(path)", text)
                    #expect((200...299).contains(answer.status), "\(schema): \(answer.text)")
                }
            }
        }
    }

    @Test func theExamplesOfReleasesAreAccepted() async throws {
        let examples = try Self.examples("HeldRelease")
        #expect(!examples.isEmpty)
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            for (number, example) in zip(1..., examples) {
                let client = try await traffic.send("GET", "/cart")
                _ = try await traffic.held(after: number - 1)
                let answer = try await traffic.release(number, String(decoding: example, as: UTF8.self))
                #expect(answer.status == 204, "\(answer.text)")
                // An open answer has an end of its own.
                if try JSONValue(parsing: example)["open"] != nil { _ = try await traffic.end(number) }
                _ = await client.readToEnd()
            }
        }
    }

    @Test func theMembersOfResponsesAreDescribed() throws {
        let schemas = try Self.document()["components"]?["schemas"]
        func check(_ schema: String, _ model: some Encodable, _ members: [String] = []) throws {
            let sent = Self.members(try JSONValue(parsing: try Reply.encode(model))).map(\.name)
            let described = Self.members(schemas?[schema]?["properties"]).map(\.name)
            #expect(Set(sent).isSubset(of: described), "\(schema)")
            guard case .array(let required) = schemas?[schema]?["required"] else { return }
            #expect(Set(required.compactMap(\.stringValue)).isSubset(of: sent), "\(schema)")
        }
        try check("Session", SessionModel(id: "a", name: "a", mode: "replay", seed: 1, created: "now"))
        try check("Report", ReportModel(id: "a", name: "a", mode: "replay"))
        try check("Set", SetModel(name: "a", cassette: "a", request: "a", playing: "a"))
        try check(
            "JournalEntry",
            JournalEntryModel(
                number: 1,
                version: 1,
                time: "now",
                method: "GET",
                url: "a",
                protocol: "h2",
                outcome: "played"
            )
        )
        try check("JournalPage", JournalPage(entries: [], seen: 0, oldest: 1, version: 0))
        let entry = JournalEntryModel(
            number: 1,
            version: 1,
            time: "now",
            method: "GET",
            url: "a",
            protocol: "h2",
            outcome: "pending"
        )
        try check("Held", HeldModel(number: 1, set: "a", version: 1, entry: entry))
        try check("HeldList", HeldList(held: [], version: 0))
        var take = TakeModel()
        take.status = 200
        take.headers = [["a": "b"]]
        take.body = TakeModel.Body(text: "a")
        take.delay = "1ms"
        try check("Take", take)
        try check("TapeAnswer", TapeAnswerModel(outcome: "played", take: take, set: "a", variant: "b"))
        try check("WaitResult", WaitResult(isMet: true, count: 0, entries: []))
        try check("Problem", Problem.failed.model)
        try check("Cassette", CassetteModel(name: "a", responseSets: 0, isPlaying: false))
    }
}
