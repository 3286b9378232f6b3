import TapedeckCassettes
import TapedeckControlAPI
import TapedeckSessions
import Testing

@testable import TapedeckControlServer

/// Sessions that send their cassettes, or name them by path.
@Suite struct SessionFileTests {
    private static func cassette(_ set: String, body: String = "{ text: yes }") -> String {
        """
        tapedeck: 1
        responseSets:
          - name: \(set)
            request: { method: GET, url: 'http://shop.test/cart' }
            variants:
              - name: found
                takes: [{ status: 200, body: \(body) }]

        """
    }

    private func request(
        _ files: [String: SessionFile]? = nil,
        cassettes: [String]? = nil,
        mode: String? = nil
    ) throws -> String {
        var request = SessionRequest()
        request.files = files
        request.cassettes = cassettes
        request.mode = mode
        return String(decoding: try Reply.encode(request), as: UTF8.self)
    }

    private func sets(_ control: RunningControl, _ session: SessionModel) async throws -> [String] {
        try await control.ask(SetList.self, "GET", "/v1/sessions/\(session.id)/sets").sets.map(\.name)
    }

    @Test func aCassetteIsLookedUpAmongTheFilesFirst() async throws {
        try await RunningControl.use { control in
            let files: [String: SessionFile] = [
                "shop.yaml": .text(Self.cassette("mine")), "team/other.yml": .text(Self.cassette("other")),
            ]
            let body = try self.request(files, cassettes: ["team/other", "shop.yaml"])
            let mine = try await control.ask(SessionModel.self, "POST", "/v1/sessions", body)
            #expect(mine.cassettes == ["team/other", "shop"])
            #expect(try await self.sets(control, mine) == ["other", "mine"])
            let deck = try self.request(["a.yaml": .text(Self.cassette("a"))], cassettes: ["a", "shop"])
            let both = try await control.ask(SessionModel.self, "POST", "/v1/sessions", deck)
            #expect(try await self.sets(control, both) == ["a", "GET shop.test/cart", "order"])
        }
    }

    @Test func withoutNamesAllCassettesAmongTheFilesArePlayed() async throws {
        try await RunningControl.use { control in
            let body = try self.request([
                "b.yaml": .text(Self.cassette("b", body: "{ file: b/photo.png }")),
                "b/photo.png": .base64("iVBORw0KGgo="), "a.yml": .text(Self.cassette("a")),
                "values.yaml": .text("name: ann\n"),
            ])
            let session = try await control.ask(SessionModel.self, "POST", "/v1/sessions", body)
            #expect(session.cassettes == ["a", "b"])
            #expect(try await self.sets(control, session) == ["a", "b"])
        }
    }

    @Test func anErrorInAFileIsReportedWithItsPlace() async throws {
        try await RunningControl.use { control in
            let broken = Self.cassette("a", body: "{ file: photo.png }")
            let files: [String: SessionFile] = ["team/a.yaml": .text(broken)]
            let answer = try await control.ask(
                "POST",
                "/v1/sessions",
                try self.request(files, cassettes: ["team/a"])
            )
            #expect(answer.status == 422)
            #expect(answer.problem == "bad-cassette")
            let problem: ProblemModel = try answer.decoded()
            let error = try #require(problem.errors?.first)
            #expect(problem.errors?.count == 1)
            #expect(error.pointer == "/files/team~1a.yaml")
            #expect(error.detail.hasPrefix("team/a.yaml:7:"), "\(error.detail)")
            #expect(control.sessions.count == 1)
        }
    }

    @Test(
        arguments: [
            (["../a.yaml": .text("tapedeck: 1")], "/files/..~1a.yaml"),
            (["/a.yaml": .text("tapedeck: 1")], "/files/~1a.yaml"),
            (["a.png": .base64("%")], "/files/a.png/base64"),
            (["a.txt": .text("tapedeck: 1")], "/files"),
            ([:], "/files"),
        ] as [([String: SessionFile], String)]
    )
    func invalidFilesAreRejected(_ files: [String: SessionFile], _ pointer: String) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("POST", "/v1/sessions", try self.request(files))
            #expect(answer.status == 422)
            let problem: ProblemModel = try answer.decoded()
            #expect(problem.errors?.map(\.pointer) == [pointer])
        }
    }

    @Test(arguments: ["record", "append"])
    func aSentFileCannotBeRecordedInto(_ mode: String) async throws {
        try await RunningControl.use { control in
            let body = try self.request(["a.yaml": .text(Self.cassette("a"))], mode: mode)
            let answer = try await control.ask("POST", "/v1/sessions", body)
            #expect(answer.status == 422)
            #expect(answer.text.contains("it is on no disk"), "\(answer.text)")
        }
    }

    @Test func filesMayBeLargerThanOtherBodies() async throws {
        let small = ControlConfiguration.with {
            $0.bodyLimit = 1_000
            $0.sessionBodyLimit = 3_000
        }
        try await RunningControl.use(small) { control in
            func ask(_ count: Int) async throws -> ControlAnswer {
                let files: [String: SessionFile] = [
                    "a.yaml": .text(Self.cassette("a")), "notes": .text(String(repeating: "x", count: count)),
                ]
                return try await control.ask("POST", "/v1/sessions", try self.request(files))
            }
            let taken = try await ask(2_000)
            #expect(taken.status == 201)
            let refused = try await ask(3_000)
            #expect(refused.status == 413)
        }
    }

    // MARK: Paths

    @Test func aPathIsRejectedUnlessTheDeckAcceptsPaths() async throws {
        for takesPaths in [false, true] {
            try await RunningControl.use(takesPaths: takesPaths) { control in
                let deck = try await control.ask(DeckModel.self, "GET", "/v1/deck")
                #expect(deck.takesPaths == (takesPaths ? true : nil))
                let body = try self.request(cassettes: ["\(control.folder)/shop"])
                let answer = try await control.ask("POST", "/v1/sessions", body)
                #expect(answer.status == (takesPaths ? 201 : 422))
            }
        }
    }

    @Test func aSessionReadsACassettePathWhenItBegins() async throws {
        try await RunningControl.use(takesPaths: true) { control in
            let path = "\(control.folder)/mine.yaml"
            let body = try self.request(cassettes: [path])
            for name in ["one", "two"] {
                try FileContents.replace(path, with: Array(Self.cassette(name).utf8))
                let session = try await control.ask(SessionModel.self, "POST", "/v1/sessions", body)
                #expect(session.cassettes == ["mine"])
                #expect(try await self.sets(control, session) == [name])
            }
            try FileContents.replace(path, with: Array("tapedeck: [".utf8))
            let broken = try await control.ask("POST", "/v1/sessions", body)
            #expect(broken.status == 422)
            #expect(broken.problem == "bad-cassette")
        }
    }
}
