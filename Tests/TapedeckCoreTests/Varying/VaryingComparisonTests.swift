import TapedeckJSON
import Testing

@testable import TapedeckCore

/// Values that are of one kind in two runs, and values that are not.
@Suite struct VaryingComparisonTests {
    /// Each run has a name that the other lacks.
    private static let recordedSurroundings = Surroundings([
        "folder": ["/home/ada/src/shop"], "HOME": ["/home/ada"], "USER": ["ada"], "host": ["ada-laptop"],
        "SDK_VERSION": ["1.2.0"], "USERNAME": ["shop"], "branch": ["feature/login"], "commit-7": ["3f9c2b7"],
        "TMPDIR": ["/tmp"],
    ])
    private static let surroundings = Surroundings([
        "folder": ["/builds/4711/checkout"], "HOME": ["/root"], "USER": ["runner"], "host": ["ci-9f31"],
        "SDK_VERSION": ["1.3.1"], "TMPDIR": ["/builds"], "branch": ["main"], "commit-7": ["b81d06e"],
    ])

    /// Recorded on a Saturday at noon, replayed nine days later.
    private static func comparison(_ bindings: ValueBindings = ValueBindings()) throws -> VaryingComparison {
        VaryingComparison(
            VaryingComparison.Runs(
                recorded: Instant(rfc3339: "2026-11-28T12:10:58Z"),
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z")),
                surroundings: BothSurroundings(recorded: Self.recordedSurroundings, live: Self.surroundings)
            ),
            bindings
        )
    }

    private static func isSame(_ recorded: String, _ live: String) throws -> Bool {
        var comparison = try self.comparison()
        let isSame = comparison.isSame(recorded, live, at: "body") && comparison.isSettled
        // A set that the index leaves out is never compared.
        let skeleton = VaryingSkeleton(recorded: Self.recordedSurroundings, live: Self.surroundings)
        #expect(!isSame || skeleton.hash(.string(recorded)) == skeleton.hash(.string(live)), "\(recorded), \(live)")
        return isSame
    }

    @Test(arguments: [
        ("e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "adaa1786-1b41-4312-af69-445594122df4"),
        ("run-e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "run-adaa1786-1b41-4312-af69-445594122df4"),
        ("urn:uuid:e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "urn:uuid:adaa1786-1b41-4312-af69-445594122df4"),
        ("test-de822b83", "test-42010b85"), ("tmpx7f0q2ab", "tmp9k2m4n1z"), ("test-3f627bb5", "test-eff01407"),
        ("note_0123456789abcdef", "note_fedcba9876543210"),
        ("SELECT 1 FROM tmp_d80d9500", "SELECT 1 FROM tmp_42010b85"),
        ("ada+de822b83@example.com", "ada+42010b85@example.com"),
        ("E2E-de822b83de822b83", "E2E-42010b8542010b85"), ("/tmp/tmp.aBcDeFgHiJ", "/tmp/tmp.kLmNoPqRsT"),
        ("/v1/buckets/test-de822b83/objects", "/v1/buckets/test-42010b85/objects"),
        ("{{secret.folder:percent}}/test-de822b83", "{{secret.folder}}/test-42010b85"),
        ("/tmp/agent-wdedueab/x", "/builds/agent-eo637_a2/x"),
        ("{{secret.tmpdir}}/agent-wdedueab/x", "{{secret.tmpdir}}/agent-eo637_a2/x"),
    ])
    func `random values are of one kind`(_ recorded: String, _ live: String) throws {
        #expect(try Self.isSame(recorded, live))
    }

    @Test(arguments: [
        ("production", "staging-eu"), ("production", "deployment"), ("test-de822b83", "production"),
        // The working folder is not the home folder.
        ("/home/ada/src/shop/x", "/root/x"), ("in /home/ada/x", "in /builds/4711/checkout/x"),
        ("{{secret.home}}/x", "{{secret.folder}}/x"), ("/etc/agent-wdedueab", "/etc/agent-eo637_a2"),
        ("on main", "on trunk"), ("at 09:30", "at 14:30"), ("2026-11-29T09:00", "2026-12-09T09:00"),
        ("test-de822b83", "prod-42010b85"), ("gpt-4o-mini", "gpt-4o-nano"), ("100", "101"),
        ("order-1001", "order-1002"),
        ("12345678", "87654321"), ("page2", "page3"), ("1.2.0", "1.2.1"), ("a1b2c3", "d4e5f6"),
        ("e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "e53c9ae7-ce13-414a-b054-ea3c8a1b2c3e"),
        ("e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "not-a-uuid"), ("test-de822b83", "test-de822b84"),
        ("da39a3ee5e6b4b0d3255bfef95601890afd80709", "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"),
        ("name-a", "name-b"), ("price_1MoBy5LkdIwHu7ix", "price_9QpXz2RtVbNmKj4c"), ("28/11/2026", "07/12/2026x"),
        ("ada@example.com", "grace@example.com"), ("EUR", "USD"), ("", "x"),
        ("openai-gpt4turbo", "openai-gpt4omini"), ("color-00ff00ff", "color-ff0000ff"),
        ("mask-0000ffff", "mask-ffff0000"),
        ("customer0001", "customer0002"), ("What is the capital of France?", "What is the capital of Spain?"),
    ])
    func `chosen values are not`(_ recorded: String, _ live: String) throws {
        #expect(try !Self.isSame(recorded, live))
    }

    @Test(arguments: [
        ("2026-11-28", "2026-12-07"), ("2026-11-27", "2026-12-06"),
        ("/logs/2026/11/27/app.log", "/logs/2026/12/06/app.log"),
        ("at 12:10", "at 11:02"), ("Retried at 12:10:50, fine", "Retried at 11:01:55, fine"),
        ("2026-11-29T09:00", "2026-12-08T09:00"), ("2026-11-29T09:00:00Z", "2026-12-08T09:00:00Z"),
        ("build-2026-11-28_12-10-57", "build-2026-12-07_11-01-59"),
        ("Sat, 28 Nov 2026 13:10:57 +0100", "Mon, 07 Dec 2026 03:01:59 -0800"),
        ("Sat Nov 28 12:10:57 2026", "Mon Dec 7 11:01:59 2026"),
        (
            "Sat Nov 28 2026 13:10:57 GMT+0100 (Central European Standard Time)",
            "Mon Dec 07 2026 20:01:59 GMT+0900 (Japan Standard Time)"
        ),
        ("2026-11-28T12:10:59Z", "2026-12-07T11:01:58Z"), ("2026-11-21T12:10:58Z", "2026-11-30T11:02:00Z"),
        ("2026-11-28T13:10:59.123456+01:00", "2026-12-07T06:01:58.654321-05:00"),
        ("1795867858", "1796641320"), ("1795867858123", "1796641320456"), ("1795867858.5", "1796641320.25"),
        ("20261128T121058Z", "20261207T110200Z"), ("20261128", "20261207"),
        ("Sat, 28 Nov 2026 12:10:58 GMT", "Mon, 07 Dec 2026 11:02:00 GMT"),
        ("Today is Saturday, 28 November 2026.", "Today is Monday, 07 December 2026."),
        ("On November 28, 2026 we", "On December 7, 2026 we"), ("28.11.2026", "07.12.2026"),
        ("28/11/2026", "07/12/2026"), ("11/28/2026", "12/07/2026"),
        ("MS40LjAKIyBidWlsdCAyMDI2LTExLTI4Cg==", "MS40LjAKIyBidWlsdCAyMDI2LTEyLTA3Cg=="),
        ("backup-2026-11-28.tar", "backup-2026-12-07.tar"), ("28 November", "7 December"),
        ("Saturday, 28 November: fine", "Monday, 7 December: fine"), ("since Nov 27", "since Dec 6"),
        ("2026-W48", "2026-W50"), ("report:2026W47", "report:2026W49"), ("visits:2026-11", "visits:2026-12"),
        ("limit:2026-11-28T12", "limit:2026-12-07T11"),
        ("orders_2026-11-28_121057.csv", "orders_2026-12-07_110159.csv"),
        // ULID, ObjectId and KSUID.
        ("01M8H11M38QQJM2S6R76FQCZ25", "01M982NT2RGYRER7BXM2KEQ34Y"),
        ("6b0ac4d1cb91ce375bc8fbbc", "6b169227d7210dff076ce2ef"),
        ("3MjdLtkG2DLX3979dP7Gr7ab1UU", "3N8v4iROPx7vHX3vHBgHsR60Sct"),
    ])
    func `times keep their distance to the run`(_ recorded: String, _ live: String) throws {
        #expect(try Self.isSame(recorded, live))
    }

    @Test(arguments: [
        ("2026-11-28", "2026-12-06"), ("2026-11-28", "2026-11-28T11:02:00Z"), ("2026-11-28", "2026-11-07"),
        ("2026-11-21T12:10:58Z", "2026-12-07T11:02:00Z"), ("2026-11-28T12:10:59Z", "2026-12-07T14:01:58Z"),
        ("2020-01-01", "2020-01-10"), ("1795867858", "1796000000"), ("1795867858", "1796641320456"),
        ("Today is Saturday, 28 November 2026.", "Today is Sunday, 06 December 2026."),
        ("2026-11-28", "tomorrow"), ("20261128", "2026-12-07"), ("28 November", "6 December"),
        ("2026-W48", "2026-W49"), ("2026-11", "2027-01"), ("2026-11-28T12", "2026-12-07T14"),
        ("01M8H11M38QQJM2S6R76FQCZ25", "01M92XWC2RWTGGTHJ172K26CJN"),
        ("3MjdLtkG2DLX3979dP7Gr7ab1UU", "3N3GpPGHhdX0mXLbebsW2ebtGoB"),
    ])
    func `other times are other times`(_ recorded: String, _ live: String) throws {
        #expect(try !Self.isSame(recorded, live))
    }

    @Test(arguments: ["2026-11-28T12:10:58Z", "2026-11-28T22:40:00Z", "2026-11-28T03:00:00Z"])
    func `on the day of the recording a date is itself alone`(_ now: String) throws {
        let start = try #require(Instant(rfc3339: now))
        let runs = VaryingComparison.Runs(recorded: start, now: start.advanced(byMilliseconds: 60_000))
        for (one, other) in [
            ("2026-12-24", "2026-12-25"), ("2026-11-28", "2026-11-29"), ("24 December 2026", "25 December 2026"),
        ] {
            var comparison = VaryingComparison(runs, ValueBindings())
            let isSame = comparison.isSame(one, other, at: "query day")
            #expect(!isSame, "\(one), \(other)")
        }
    }

    @Test func `a date is that of UTC or of the place of each run`() throws {
        func isSame(_ one: String, _ other: String, zone: Int) throws -> Bool {
            let runs = VaryingComparison.Runs(
                recorded: try #require(Instant(rfc3339: "2026-11-28T22:40:00Z")),
                recordedZone: zone,
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z"))
            )
            var comparison = VaryingComparison(runs, ValueBindings())
            return comparison.isSame(one, other, at: "query day")
        }
        // There it was 00:40 on the next day.
        for (one, other, expected) in [
            ("2026-11-29", "2026-12-07", true), ("2026-11-28", "2026-12-07", true), ("2026-11-28", "2026-12-06", true),
            ("2026-11-30", "2026-12-07", false), ("2026-12-24", "2027-01-02", true),
            ("2026-12-24", "2027-01-03", false),
        ] {
            #expect(try isSame(one, other, zone: 120) == expected, "\(one), \(other)")
        }
        #expect(try !isSame("2026-11-29", "2026-12-07", zone: 0))
        #expect(try !isSame("2026-11-27", "2026-12-07", zone: 0))
    }

    @Test func `the dates of one request move together`() throws {
        let runs = VaryingComparison.Runs(
            recorded: try #require(Instant(rfc3339: "2026-11-28T22:40:00Z")),
            recordedZone: 120,
            now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z"))
        )
        var comparison = VaryingComparison(runs, ValueBindings())
        let from = comparison.isSame("2026-11-28", "2026-12-06", at: "query from")
        let to = comparison.isSame("2026-11-29", "2026-12-08", at: "query to")
        #expect(from && !to)
    }

    @Test func `a time without a zone is that of the place of each run`() throws {
        for (one, other, expected) in [
            ("2026-11-28 13:10:58", "2026-12-07 11:02:00", true),
            ("2026-11-28T13:10:58.123", "2026-12-07T11:02:00.1", true),
            ("20261128131058", "20261207110200", true), ("[2026-11-28 13:10:58] x", "[2026-12-07 11:02:00] x", true),
            ("2026-11-28 13:10:58", "2026-12-07 12:32:00", false),
            ("2026-11-28T13:10:58Z", "2026-12-07T11:02:00Z", false),
        ] {
            let runs = VaryingComparison.Runs(
                recorded: try #require(Instant(rfc3339: "2026-11-28T12:10:58Z")),
                recordedZone: 60,
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z"))
            )
            var comparison = VaryingComparison(runs, ValueBindings())
            let isSame = comparison.isSame(one, other, at: "body")
            #expect(isSame == expected, "\(one), \(other)")
        }
    }

    @Test func `a time since the start of the run may be any of it`() throws {
        for (one, other, expected) in [
            // When the program began, and in an hour from then.
            ("2026-11-28T12:00:00Z", "2026-12-07T11:01:50Z", true),
            ("2026-11-28T13:00:00Z", "2026-12-07T12:01:50Z", true),
            // The last five minutes are not the last fifteen.
            ("2026-11-28T11:55:00Z", "2026-12-07T10:47:00Z", false),
            ("2026-11-28T12:05:58Z", "2026-12-07T10:47:00Z", false),
        ] {
            let runs = VaryingComparison.Runs(
                recorded: try #require(Instant(rfc3339: "2026-11-28T12:10:58Z")),
                recordedStart: Instant(rfc3339: "2026-11-28T12:00:00Z"),
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z")),
                start: Instant(rfc3339: "2026-12-07T11:01:50Z")
            )
            var comparison = VaryingComparison(runs, ValueBindings())
            let isSame = comparison.isSame(one, other, at: "body")
            #expect(isSame == expected, "\(one), \(other)")
        }
    }

    @Test func `one value stands for one`() throws {
        let (a, b) = ("e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d", "adaa1786-1b41-4312-af69-445594122df4")
        let (x, y) = ("0b54a9f2-7c11-4e63-9d0e-5f1a2b3c4d5e", "7e9d1c2b-3a4f-4b5c-8d6e-1f2a3b4c5d6e")
        for (recorded, live, expected) in [
            ([a, b], [x, y], true), ([a, a], [x, x], true), ([a, a], [x, y], false), ([a, b], [x, x], false),
        ] {
            var comparison = try Self.comparison()
            let isSame = comparison.isSame(
                JSONValue.array(recorded.map { .string($0) }),
                JSONValue.array(live.map { .string($0) }),
                at: "$"
            )
            #expect(isSame == expected, "\(recorded), \(live)")
        }
    }

    @Test(arguments: [
        // The name of the second place says nothing, but the first has it, too.
        (
            #"{"labels":{"run_id":"3f2b9c1d8e7a"},"env":[{"x":"3f2b9c1d8e7a"}]}"#,
            #"{"labels":{"run_id":"a0b1c2d3e4f5"},"env":[{"x":"a0b1c2d3e4f5"}]}"#, true
        ),
        (#"{"env":[{"x":"3f2b9c1d8e7a"}]}"#, #"{"env":[{"x":"a0b1c2d3e4f5"}]}"#, false),
        (
            #"[{"name":"RUN_ID","value":"3f2b9c1d8e7a"}]"#, #"[{"name":"RUN_ID","value":"a0b1c2d3e4f5"}]"#, true
        ),
        (#"[{"name":"SIZE","value":"3f2b9c1d8e7a"}]"#, #"[{"name":"SIZE","value":"a0b1c2d3e4f5"}]"#, false),
        (
            #"{"trace":{"StringValue":"3f2b9c1d8e7a4b5c"}}"#, #"{"trace":{"StringValue":"a0b1c2d3e4f50617"}}"#, true
        ),
        (
            #"{"jsonrpc":"2.0","method":"x","id":634374821}"#, #"{"jsonrpc":"2.0","method":"x","id":544388719}"#, true
        ),
        (#"{"method":"x","id":634374821}"#, #"{"method":"x","id":544388719}"#, false),
        (#"{"jsonrpc":"2.0","method":"x","id":1}"#, #"{"jsonrpc":"2.0","method":"x","id":2}"#, false),
        (#"{"unix":1795867858}"#, #"{"unix":1796641320}"#, true), (#"{"n":1795867858}"#, #"{"n":1796541320}"#, false),
        (#"{"nonce":"q83vEjRWeJq83vEjRWeJqw=="}"#, #"{"nonce":"Zm9vYmFyLzEyMzQ1Njc4OQ=="}"#, true),
        (#"{"build":"17"}"#, #"{"build":"4711"}"#, true), (#"{"page":"17"}"#, #"{"page":"4711"}"#, false),
        (#"{"by":"ci-17"}"#, #"{"by":"ci-4711"}"#, true), (#"{"by":"ci-17"}"#, #"{"by":"ci-18"}"#, false),
        (#"{"url":"https://a.test/builds/17"}"#, #"{"url":"https://a.test/builds/4711"}"#, true),
    ])
    func `the place and the rest of a request say what varies`(_ one: String, _ other: String, _ expected: Bool) throws
    {
        let surroundings = (Surroundings(["BUILD": ["17"]]), Surroundings(["BUILD": ["4711"]]))
        var comparison = VaryingComparison(
            VaryingComparison.Runs(
                recorded: Instant(rfc3339: "2026-11-28T12:10:58Z"),
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z")),
                surroundings: BothSurroundings(recorded: surroundings.0, live: surroundings.1)
            ),
            ValueBindings()
        )
        let (recorded, live) = try (JSONValue(parsing: Array(one.utf8)), JSONValue(parsing: Array(other.utf8)))
        let isSame = comparison.isSame(recorded, live, at: "$") && comparison.isSettled
        #expect(isSame == expected)
        let skeleton = VaryingSkeleton(recorded: surroundings.0, live: surroundings.1)
        #expect(!isSame || skeleton.hash(recorded) == skeleton.hash(live))
    }

    @Test func `a name of a date and a random word is one value`() throws {
        var comparison = try Self.comparison()
        let isSame = comparison.isSame(
            "/reports/2026/11/28/e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d.json",
            "/reports/2026/12/07/adaa1786-1b41-4312-af69-445594122df4.json",
            at: "path"
        )
        #expect(isSame)
        var bindings = ValueBindings()
        bindings.bind(comparison.pairs)
        #expect(
            bindings.live(in: "<Key>reports/2026/11/28/e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d.json</Key>")
                == "<Key>reports/2026/12/07/adaa1786-1b41-4312-af69-445594122df4.json</Key>"
        )
    }

    @Test(arguments: [
        ("image:3f9c2b7 (feature/login)", "image:b81d06e (main)"), ("main.py of feature/login", "main.py of main"),
        ("/home/ada/src/shop", "/builds/4711/checkout"), ("cd /home/ada/src/shop/lib", "cd /builds/4711/checkout/lib"),
        ("User: ada on ada-laptop", "User: runner on ci-9f31"), ("1.2.0", "1.3.1"), ("~ is /home/ada", "~ is /root"),
        ("http://127.0.0.1:32985/hook", "http://127.0.0.1:41153/hook"), ("localhost:18080", "localhost:19090"),
    ])
    func `surroundings are those of each run`(_ recorded: String, _ live: String) throws {
        #expect(try Self.isSame(recorded, live))
    }

    @Test(arguments: [
        ("/home/grace/src/shop", "/builds/4711/checkout"), ("/home/ada/src/shop", "/builds/4711/other"),
        ("/home/ada/src/shop2", "/builds/4711/checkout2"), ("adamant", "runnermant"), ("v1.2.0", "v1.3.1"),
        ("http://127.0.0.1:32985/hook", "http://127.0.0.1:41153/other"), ("10.0.0.1:18080", "10.0.0.1:19090"),
        ("http://127.0.0.1:5432/", "http://127.0.0.1:6379/"),
    ])
    func `other folders, users and hosts are others`(_ recorded: String, _ live: String) throws {
        #expect(try !Self.isSame(recorded, live))
    }

    @Test(arguments: [
        ("3f2b9c1d8e7a4b5c6d7e8f901a2b3c4d", "a0b1c2d3e4f5061728394a5b6c7d8e9f"),
        ("Zx9kQ2mVt7LpR4sW", "b8Nf3HcY6Tg1JvKq"),
    ])
    func `a bare random word is one in a place for such words alone`(_ recorded: String, _ live: String) throws {
        for place in ["$.request_nonce", "query sessionId", "form state", "$.clientRef", "query run-id", "$.rid"] {
            var comparison = try Self.comparison()
            let isSame = comparison.isSame(recorded, live, at: place)
            #expect(isSame, "\(place)")
        }
        for place in ["$.prefix", "$.grid", "query trunk", "form override", "$.seedling"] {
            var comparison = try Self.comparison()
            let isSame = comparison.isSame(recorded, live, at: place) && comparison.isSettled
            #expect(!isSame, "\(place)")
        }
        #expect(try !Self.isSame(recorded, live))
    }

    @Test func `the times of one request move together`() throws {
        var comparison = try Self.comparison()
        let first = comparison.isSame("2026-11-28T12:10:58Z", "2026-12-07T11:01:59Z", at: "query until")
        let window = comparison.isSame("2026-11-28T12:05:58Z", "2026-12-07T10:46:59Z", at: "query since")
        #expect(first && !window)
    }

    @Test func `JSON varies place by place`() throws {
        let recorded = try JSONValue(
            parsing: Array(#"{"id":"e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d","at":1795867858,"pid":4711,"n":1}"#.utf8)
        )
        let live = try JSONValue(
            parsing: Array(#"{"pid":12,"n":1,"at":1796641321,"id":"adaa1786-1b41-4312-af69-445594122df4"}"#.utf8)
        )
        var comparison = try Self.comparison()
        let isSame = comparison.isSame(recorded, live, at: "$")
        #expect(isSame)
        #expect(comparison.pairs.map(\.place) == ["$.id"])
        for changed in [
            #"{"id":"e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d","at":1795867858,"pid":1,"n":2}"#, "[]", #"{"id":null}"#,
        ] {
            var comparison = try Self.comparison()
            let isSame = comparison.isSame(recorded, try JSONValue(parsing: Array(changed.utf8)), at: "$")
            #expect(!isSame)
        }
    }

    @Test func `a bound value stands for its recorded one, also percent-encoded and within texts`() throws {
        var bindings = ValueBindings()
        bindings.bind([ValueBindings.Pair(recorded: "a b/c-1f2e3d4c", live: "x y/z-99887766", place: "body")])
        var comparison = try Self.comparison(bindings)
        let isSame = comparison.isSame("/v1/a%20b%2Fc-1f2e3d4c", "/v1/x%20y%2Fz-99887766", at: "path")
        #expect(isSame)
        #expect(comparison.pairs.isEmpty && comparison.places == ["path"])
        #expect(bindings.live(in: "made a b/c-1f2e3d4c.") == "made x y/z-99887766.")
    }

    @Test func `a text with a value that is bound already is bound as a whole as it came`() throws {
        var bindings = ValueBindings()
        bindings.bind([ValueBindings.Pair(recorded: "1f2e3d4c5b", live: "99887766aa", place: "$.name")])
        var comparison = try Self.comparison(bindings)
        let live = "job-99887766aa at 2026-12-07T11:02:00"
        let isSame = comparison.isSame("job-1f2e3d4c5b at 2026-11-28T12:10:58", live, at: "$.note")
        #expect(isSame)
        #expect(comparison.pairs.contains { $0.recorded == "job-1f2e3d4c5b at 2026-11-28T12:10:58" && $0.live == live })
    }
}
