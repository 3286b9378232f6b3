import TapedeckCassettes
import TapedeckCore
import TapedeckYAML
import TestShare
import Testing

@Suite("Response sets as JSON")
struct CassetteJSONTests {
    private func set(_ json: String, name: String? = "s") throws -> ResponseSet {
        try CassetteJSON.responseSet(Array(json.utf8), name: name).get()
    }

    private func problems(_ json: String, name: String? = "s") -> [CassetteJSON.Problem] {
        switch CassetteJSON.responseSet(Array(json.utf8), name: name) {
        case .success: []
        case .failure(let invalid): invalid.problems
        }
    }

    /// The one set of a cassette's file.
    private func file(_ set: String) throws -> ResponseSet {
        let result = CassetteReader.read(Array(CassetteText.sets(set).utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)")
        return result.cassette.responseSets[0]
    }

    // MARK: Reading

    @Test("JSON has the same keys as the YAML file")
    func sameAsFile() throws {
        let set = try self.set(
            #"""
            {
              "name": "s",
              "priority": 3,
              "request": {
                "method": ["GET", "POST"], "urlTemplate": "https://a.test/users/{id}",
                "query": {"page": 2, "sort": {"absent": true}},
                "body": {"jsonPath": {"$.user.id": 7, "$.x": null}},
                "any": [{"cookies": {"a": "b"}}, {"not": {"headers": {"X-A": {"contains": "é\u0085\ud83d\ude00"}}}}]
              },
              "requires": {"login": "yes", "gone": null},
              "selected": "slow",
              "variants": [
                {"name": "recorded", "takes": [{"status": 200, "headers": {"Content-Type": "text/plain", "a": ["1", "2"]}, "body": {"text": "hi\n"}}]},
                {"name": "slow", "delay": "2s", "variant": "recorded"},
                {"name": "cut", "sequence": ["slow", {"times": 2, "fault": "timeout"}], "after": "cycle"}
              ]
            }
            """#
        )
        let expected = try self.file(
            #"""
            name: s
            priority: 3
            request:
              method: [GET, POST]
              urlTemplate: https://a.test/users/{id}
              query: { page: 2, sort: { absent: true } }
              body: { jsonPath: { $.user.id: 7, $.x: null } }
              any:
                - cookies: { a: b }
                - not: { headers: { X-A: { contains: "é\u0085\U0001F600" } } }
            requires: { login: 'yes', gone: null }
            selected: slow
            variants:
              - name: recorded
                takes:
                  - status: 200
                    headers: [ Content-Type: text/plain, a: 1, a: 2 ]
                    body: { text: "hi\n" }
              - { name: slow, delay: 2s, variant: recorded }
              - { name: cut, sequence: [ slow, { times: 2, fault: timeout } ], after: cycle }
            """#
        )
        #expect(set == expected)
    }

    @Test("A set that is one answer has one variant, the stub")
    func stub() throws {
        let request = #""request": {"url": "https://a.test/"}"#
        let take = try self.set(
            "{\(request), \"status\": 201, \"headers\": {\"A\": \"b\"}, \"delay\": \"1s\", \"sets\": {\"k\": \"v\"}}"
        )
        let expected = try self.file(
            """
            name: s
            request: { url: https://a.test/ }
            sets: { k: v }
            variants: [ { name: stub, delay: 1s, takes: [ { status: 201, headers: { A: b } } ] } ]
            """
        )
        #expect(take == expected)
        #expect(CassetteJSON.stubName == "stub")
        let fault = try self.set("{\(request), \"fault\": \"connectionReset\"}")
        #expect(fault.variants == [Variant(name: "stub", takes: [Take(fault: .connectionReset)])])
        let empty = try self.set("{\(request), \"empty\": 404}")
        #expect(empty.variants == [Variant(name: "stub", takes: [Take(status: 404)])])
        let sequence = try self.set(
            "{\(request), \"sequence\": [{\"empty\": true}, {\"fault\": \"timeout\"}], \"after\": \"unmatched\"}"
        )
        #expect(sequence.variants[0].behaviour.after == .unmatched)
    }

    @Test("JSON of a body can be a value or a text; both are what is sent")
    func jsonBodies() throws {
        func body(_ json: String) throws -> String? {
            let set = try self.set(
                #"{"request": {"url": "https://a.test/"}, "status": 200, "body": {"json": \#(json)}}"#
            )
            guard case .inline(let body) = set.variants[0].takes[0].body else { return nil }
            #expect(body.form == .json)
            return String(decoding: body.decoded, as: UTF8.self)
        }
        #expect(
            try body(#"{"b": [1.50, true, null, "\u00e9\u2028"], "a": {}}"#)
                == #"{"b":[1.50,true,null,"é\#u{2028}"],"a":{}}"#
        )
        #expect(try body(#""{ \"a\": 1 }\n""#) == "{ \"a\": 1 }\n")
        #expect(try body("7") == "7")
        #expect(try body("[]") == "[]")
    }

    @Test("JSON that a request is compared with can be a value too")
    func jsonConditions() throws {
        let set = try self.set(
            #"""
            {"request": {"url": "https://a.test/", "body": {
                "json": {"id": "{{any.string}}"}, "jsonSubset": {"a": [1]},
                "graphql": {"operation": "Q", "variables": {"x": 1}}}},
             "merge": {"a": null}, "takes": [{"status": 200, "body": {"json": {"a": 1}}}]}
            """#
        )
        #expect(set.request.body.count == 3)
        #expect(set.request.body.contains(.jsonSubset(InlineBody(form: .json, content: Array(#"{"a":[1]}"#.utf8)))))
        #expect(set.variants[0].behaviour.changes == [.merge(.object([JSONMember(name: "a", value: .null)]))])
    }

    @Test("The name comes from the request's path or from the set")
    func names() throws {
        let set = #"{"name": "a/b", "request": {"url": "https://a.test/"}, "status": 200}"#
        #expect(try self.set(set, name: nil).name == "a/b")
        #expect(try self.set(set, name: "a/b").name == "a/b")
        #expect(self.problems(set, name: "c").map(\.pointer) == ["/name"])
        let nameless = #"{"request": {"url": "https://a.test/"}, "status": 200}"#
        #expect(try self.set(nameless, name: "GET a.test/\"x\"\n").name == "GET a.test/\"x\"\n")
        #expect(self.problems(nameless, name: nil).map(\.message) == ["a response set needs `name`"])
    }

    @Test(
        "A problem is reported with its place",
        arguments: [
            (#"{"request": {"url": "nowhere"}, "status": 200}"#, "/request/url"),
            (#"{"reqest": {}, "status": 200}"#, "/reqest"),
            (#"{"request": {"url": "https://a.test/"}, "status": "200"}"#, "/status"),
            (#"{"request": {"url": "https://a.test/"}, "statsu": 200, "body": {"text": ""}}"#, "/statsu"),
            (
                #"{"request": {"url": "https://a.test/", "query": {"a/b~c": {"contians": "x"}}}, "status": 200}"#,
                "/request/query/a~1b~0c/contians"
            ),
            (
                #"{"request": {"url": "https://a.test/"}, "variants": [{"name": "a", "takes": [{"status": 200}, {"status": 7}]}]}"#,
                "/variants/0/takes/1/status"
            ),
            (#"{"request": {"url": "https://a.test/"}, "variants": {"name": "a"}}"#, "/variants"),
            (#"{"request": {"url": "https://a.test/"}, "variants": ["a"]}"#, "/variants/0"),
            (#"{"request": {"url": "https://a.test/"}, "status": 200, "body": "text"}"#, "/body"),
            (#"{"request": {"url": "https://a.test/"}, "status": 200, "body": {"text": {"a": 1}}}"#, "/body/text"),
            (#"{"request": {"url": "https://a.test/"}, "status": 200, "body": {"file": "/etc/passwd"}}"#, "/body/file"),
            (#"{"request": {"url": "https://a.test/"}, "status": 200, "status": 201}"#, ""),
            (#"{"request": {"url": "https://a.test/", "url": "https://b.test/"}, "status": 200}"#, "/request"),
            (
                #"{"request": {"url": "https://a.test/", "body": {"json": {"a": "{{any.foo}}"}}}, "status": 200}"#,
                "/request/body/json"
            ),
            (#"{"request": {"url": "https://a.test/"}, "selected": "none", "status": 200}"#, "/selected"),
            (#"{"request": {"url": "https://a.test/"}}"#, ""),
            (#"[1]"#, ""), (#"{"a": 1"#, ""), ("", ""),
        ]
    )
    func pointers(_ json: String, _ pointer: String) {
        let problems = self.problems(json)
        #expect(problems.contains { $0.pointer == pointer }, "\(problems)")
        #expect(problems.allSatisfy { !$0.message.contains("`- `") && !$0.message.contains("indented") })
    }

    @Test("A mistyped key gets a suggestion, even a key of an answer")
    func hints() {
        let problem = self.problems(#"{"request": {"url": "https://a.test/"}, "statsu": 200, "fault": "timeout"}"#)
        #expect(problem.map(\.message) == ["a response set has no key `statsu`; did you mean `status`?"])
    }

    @Test("Body files are rejected, and the message names the alternatives")
    func bodyFiles() {
        let json = #"{"request": {"url": "https://a.test/"}, "status": 200, "body": {"file": "a.txt"}}"#
        let message = "there are no body files here: give the body itself as `text`, `json` or `base64`"
        #expect(self.problems(json).map(\.message) == [message])
    }

    @Test("Size and depth have a limit", arguments: ["[", "{\"not\":"])
    func limits(_ open: String) {
        let depth = 400
        let close = open == "[" ? "]" : "}"
        let deep = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let json = #"{"request": \#(deep), "status": 200}"#
        #expect(self.problems(json).contains { $0.message.contains("nested deeper") })
        let large = CassetteJSON.responseSet([UInt8](repeating: 0x20, count: CassetteJSON.sizeLimit + 1), name: "s")
        #expect(throws: CassetteJSON.Invalid.self) { try large.get() }
    }

    // MARK: Matchers

    @Test("A matcher is read like a file's request; without conditions it matches every request")
    func matchers() throws {
        func matcher(_ json: String) throws -> RequestMatcher {
            try CassetteJSON.matcher(Array(json.utf8)).get()
        }
        #expect(try matcher("{}") == RequestMatcher())
        #expect(try matcher(#"{"method": "POST"}"#) == RequestMatcher(methods: ["POST"]))
        let set = try self.file(
            """
            name: s
            request: { host: a.test, headers: { X: { absent: true } }, not: { method: GET } }
            variants: [ { name: a, empty: true } ]
            """
        )
        #expect(
            try matcher(#"{"host": "a.test", "headers": {"X": {"absent": true}}, "not": {"method": "GET"}}"#)
                == set.request
        )
        let error = #expect(throws: CassetteJSON.Invalid.self) { try matcher(#"{"any": [{"metod": "GET"}, {}]}"#) }
        #expect(error?.problems.map(\.pointer) == ["/any/0/metod", "/any/1"])
        let inner = CassetteJSON.matcher(.object([JSONMember(name: "url", value: .bool(true))]), at: "/request")
        guard case .failure(let invalid) = inner else {
            Issue.record("read: \(inner)")
            return
        }
        #expect(invalid.problems.map(\.pointer) == ["/request/url"])
    }

    // MARK: Writing

    @Test("A set is returned exactly as it was put")
    func comesBack() throws {
        let json =
            #"{"name":"s","request":{"method":"GET","url":"https://a.test/?json={}"},"variants":[{"name":"stub","#
            + #""takes":[{"status":200,"headers":[{"A":"1"}],"body":{"json":{"b":[1.50],"a":"x"}}}]}]}"#
        #expect(String(decoding: CassetteJSON.json(of: try self.set(json)), as: UTF8.self) == json)
    }

    @Test("Any set without body files is the same when it is read back", arguments: seeds(8))
    func roundTrip(seed: UInt64) throws {
        var random = try RandomCassette(seed: seed)
        for _ in 0..<40 {
            for original in random.make(path: random.folder.path("test.yaml")).responseSets {
                var set = original
                for index in set.variants.indices { set.variants[index].behaviour.dropFiles() }
                let json = CassetteJSON.json(of: set)
                switch CassetteJSON.responseSet(json, name: set.name) {
                case .success(let read): #expect(read == set, "\(String(decoding: json, as: UTF8.self))")
                case .failure(let invalid): Issue.record("\(invalid)\n\(String(decoding: json, as: UTF8.self))")
                }
            }
        }
    }

    @Test(
        "Damaged JSON is rejected with a reason, or is a set that reads back the same",
        arguments: seeds(4)
    )
    func damaged(seed: UInt64) throws {
        var random = try RandomCassette(seed: seed)
        var accepted = 0
        for set in (0..<10).flatMap({ _ in random.make(path: "test.yaml").responseSets }) {
            let json = CassetteJSON.json(of: set)
            for _ in 0..<20 {
                var damaged = json
                for _ in 0..<random.one(of: [1, 1, 3]) {
                    damaged[random.one(of: Array(damaged.indices))] = random.one(
                        of: Array(#"{}[]",:\ea0-1 "#.utf8) + json
                    )
                }
                switch CassetteJSON.responseSet(damaged) {
                case .success(let read):
                    accepted += 1
                    let again = try CassetteJSON.responseSet(CassetteJSON.json(of: read)).get()
                    #expect(again == read, "\(String(decoding: damaged, as: UTF8.self))")
                case .failure(let invalid):
                    #expect(!invalid.problems.isEmpty)
                    #expect(invalid.problems.allSatisfy { $0.pointer.isEmpty || $0.pointer.hasPrefix("/") })
                }
            }
        }
        #expect(accepted > 0)
    }

    @Test("A whole file as JSON has numbers, words and texts as they are written")
    func wholeFile() throws {
        let text = """
            # a comment
            tapedeck: 1
            about: '1'
            time: { shift: true, json: [ $.a ] }
            state: { a: ~, b: 0x1F, c: yes, d: 1.50 }
            responseSets: []

            """
        let json = try CassetteJSON.json(ofFile: Array(text.utf8))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"tapedeck":1,"about":"1","time":{"shift":true,"json":["$.a"]},"#
                + #""state":{"a":null,"b":"0x1F","c":"yes","d":1.50},"responseSets":[]}"#
        )
        #expect(throws: YAMLError.self) { try CassetteJSON.json(ofFile: Array("a: [".utf8)) }
    }
}

extension Behaviour {
    /// Removes the bodies that are in files.
    fileprivate mutating func dropFiles() {
        switch self.answer {
        case .takes(var takes):
            for index in takes.indices {
                if case .file = takes[index].body { takes[index].body = .none }
                if case .file? = takes[index].request?.body { takes[index].request?.body = .none }
                if takes[index].request == Take.Request() { takes[index].request = nil }
            }
            self.answer = .takes(takes)
        case .sequence(var parts):
            for index in parts.indices { parts[index].dropFiles() }
            self.answer = .sequence(parts)
        case .random(var choices):
            for index in choices.indices { choices[index].behaviour.dropFiles() }
            self.answer = .random(choices)
        case .conditional(let condition, var then, var otherwise):
            then.dropFiles()
            otherwise?.dropFiles()
            self.answer = .conditional(when: condition, then: then, otherwise: otherwise)
        case .variant, .passthrough, .hold:
            break
        }
    }
}
