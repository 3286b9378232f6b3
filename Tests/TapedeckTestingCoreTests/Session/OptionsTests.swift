import TapedeckTestingCore
import Testing

struct OptionsTests {
    @Test func `a test's options override its suite's`() {
        let suite = TapedeckOptions.tapedeck("base", folder: "Fixtures").select(["login": "success", "user": "found"])
            .profiles("slow").state(["user": "a", "kept": "yes"]).seed(1).mode(.new).deck(.inProcess)
        let merged = suite.with(
            TapedeckOptions.tapedeck("own").select("offline", for: "login").profiles("flaky").state("user", "b").seed(2)
                .mode(.replay).unused(.error)
        )
        #expect(merged.cassettes.map { "\($0)" } == [#"named("own")"#, #"named("base")"#])
        #expect(merged.folder?.hasSuffix("/Session/Fixtures") == true)
        #expect(merged.select == ["login": "offline", "user": "found"])
        #expect(merged.profiles == ["slow", "flaky"])
        #expect(merged.state == ["user": "b", "kept": "yes"])
        #expect(merged.seed == 2)
        #expect(merged.mode == .replay)
        #expect(merged.unused == .error)
        #expect(merged.deck == .inProcess)
    }

    @Test func `a cassette named after the test is replaced by any that is named inside`() {
        var suite = TapedeckOptions.tapedeck(.namedAfterTest, folder: "Fixtures")
        suite.hasDefaultCassette = true
        let unnamed = suite.with(.tapedeck().seed(1))
        #expect(unnamed.cassettes.map { "\($0)" } == ["namedAfterTest"])
        let named = unnamed.with(.tapedeck("own"))
        #expect(named.cassettes.map { "\($0)" } == [#"named("own")"#])
        suite.hasDefaultCassette = false
        #expect(suite.with(.tapedeck("own")).cassettes.count == 2)
    }

    @Test(
        arguments: [
            (nil, nil, .replay), (nil, "new", .new), (.replay, "all", .replay), (nil, "all", .all),
            (nil, "once", .once),
        ] as [(TapedeckMode?, String?, TapedeckMode)]
    )
    func `the mode is the test's, then that of the environment, then replay`(
        own: TapedeckMode?,
        environment: String?,
        mode: TapedeckMode
    ) throws {
        let options = TapedeckOptions.tapedeck("github").mode(own)
        #expect(try TapedeckScope.mode(options, TestEnvironment(mode: environment)) == mode)
    }

    @Test func `a test without a file to write into is not recorded`() throws {
        let environment = TestEnvironment(mode: "all")
        #expect(try TapedeckScope.mode(TapedeckOptions(), environment) == .replay)
        let options = TapedeckOptions.tapedeck(.files(["a.yaml": "tapedeck: 1\n"]))
        #expect(try TapedeckScope.mode(options, environment) == .replay)
    }

    @Test func `an invalid mode is an error that lists the modes`() {
        let error = #expect(throws: TapedeckError.self) {
            try TapedeckScope.mode(TapedeckOptions(), TestEnvironment(mode: "recrod"))
        }
        #expect(
            error?.description
                == #"TAPEDECK_MODE is "recrod"; it must be one of replay, once, new, all"#
        )
    }

    @Test func `a deck of the environment is used, unless the test names another`() {
        let named = TestEnvironment(url: "http://127.0.0.1:4748", token: "secret")
        #expect(Decks.resolved(.automatic, named) == .running(url: "http://127.0.0.1:4748", token: "secret"))
        #expect(Decks.resolved(.automatic, TestEnvironment(), isLinked: true) == .inProcess)
        #expect(Decks.resolved(.inProcess, named) == .inProcess)
    }

    @Test func `a deck is a child process where the environment names its program, or none is linked`() {
        let named = TestEnvironment(binary: "/opt/tapedeck")
        #expect(Decks.resolved(.automatic, named, isLinked: true) == .child(path: "/opt/tapedeck"))
        #expect(Decks.resolved(.automatic, TestEnvironment(), isLinked: false) == .child(path: nil))
        #expect(Decks.resolved(.childProcess(), named) == .child(path: "/opt/tapedeck"))
        #expect(Decks.resolved(.childProcess(path: "./tapedeck"), named) == .child(path: "./tapedeck"))
        #expect(Decks.resolved(.inProcess, named) == .inProcess)
    }
}
