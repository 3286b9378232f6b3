import Foundation
import Testing

/// The variant that plays: the first, the one of the file, or the one of the command line.
@Suite(.ownThreads) struct VariantTests {
    private static let login = """
        - name: success
          takes: [{ status: 200, body: { text: welcome } }]
        - name: invalid credentials
          takes: [{ status: 401, body: { text: go away } }]
        - name: maintenance
          takes: [{ status: 503 }]
        - name: gone
          fault: connectionReset

        """

    private static let shop = """
        tapedeck: 1
        responseSets:
          - name: cart
            request: { url: http://shop.example/cart }
            variants:
              - name: full
                takes: [{ status: 200, body: { text: full } }]
              - name: empty
                takes: [{ status: 200, body: { text: empty } }]
          - name: price=net
            request: { url: http://shop.example/price }
            variants:
              - name: ok
                takes: [{ status: 200, body: { text: '12' } }]
              - name: empty
                takes: [{ status: 200, body: { text: none } }]
          - name: login
            request: { url: https://login.example/ }
            variants:
              - name: ok
                takes: [{ status: 200, body: { text: welcome } }]
        profiles:
          nothing there: { '*': empty }
          quiet day: { cart: empty, 'https://login.example': unauthorized }

        """
    private static let shopURLs = ["http://shop.example/cart", "http://shop.example/price", "https://login.example/"]

    /// Returns the answers of the shop's three sets.
    private static func shop(_ options: String...) throws -> [String] {
        let played = try PlayedCassette(Self.shop, options: options)
        let answers = try played.ask(each: Self.shopURLs)
        try played.stop()
        return answers
    }

    @Test func `the first variant plays, unless the file or the command line selects another`() throws {
        let first = try PlayedCassette(PlayedCassette.variants(Self.login))
        #expect(try first.ask(PlayedCassette.url) == "welcome")
        try first.stop()
        let cassette = PlayedCassette.variants(Self.login, set: "selected: maintenance\n")
        let selected = try PlayedCassette(cassette)
        #expect(try selected.ask(PlayedCassette.url) == "503")
        try selected.stop()
        let asked = try PlayedCassette(cassette, "--select", "x=invalid credentials")
        #expect(try asked.ask(PlayedCassette.url) == "401")
        try asked.stop()
    }

    @Test func `a variant can be selected whose set has an equals sign in its name`() throws {
        #expect(try Self.shop("--select", "price=net=empty", "--select", "cart=empty") == ["empty", "none", "welcome"])
    }

    @Test(arguments: [
        (
            ["--select", "x=mantenance"],
            ["no variant \"mantenance\"", "\"maintenance\"", "success, invalid credentials"]
        ),
        (["--select", "y=success"], ["no response set \"y\"", "\"x\""]),
        (["--select", "success"], ["SET=VARIANT"]),
        (["--profile", "ofline"], ["no profile \"ofline\"", "did you mean \"offline\"?"]),
        (["--profile", "offline=y"], ["no response set \"y\""]),
        (["--profile", "offline="], ["limits a profile to nothing", "offline=SET"]),
        (["--profile", "offline=,"], ["limits a profile to nothing"]),
        (["--profile", "offline=http://a.example/x"], ["an origin has no path", "offline=http://a.example\n"]),
        (["--delay", "2"], ["2s", "2ms"]),
        (["--delay", "soon"], ["ms, s, m or h", "at most 1h"]),
        (["--delay", "2d"], ["at most 1h"]),
        (["--state", "cart"], ["KEY=VALUE"]),
    ])
    func `an unknown name is an error that lists the known ones`(_ options: [String], words: [String]) throws {
        let folder = try TestFolder()
        try folder.write(PlayedCassette.variants(Self.login), to: "cassettes/x.yaml")
        let result = try folder.tapedeck(["replay", "x"] + options + ["--", "touch", "ran"])
        #expect(result.exitCode == 64, "\(result.errorText)")
        for word in words { #expect(result.errorText.contains(word), "\(result.errorText)") }
        #expect(!folder.exists("ran"))
    }

    @Test(arguments: [
        ("selected: mantenance\n", ":5:15: error: the response set \"x\" has no variant \"mantenance\""),
        ("profiles: {}\n", "error: a response set has no key `profiles`"),
    ])
    func `an unknown variant in the file is reported with its line`(_ line: String, message: String) throws {
        let folder = try TestFolder()
        try folder.write(PlayedCassette.variants(Self.login, set: line), to: "cassettes/x.yaml")
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 65)
        #expect(check.outputText.contains(message), "\(check.outputText)")
    }

    @Test func `a profile of the file selects variants of several sets at once`() throws {
        #expect(try Self.shop() == ["full", "12", "welcome"])
        #expect(try Self.shop("--profile", "nothing there") == ["empty", "none", "welcome"])
        #expect(try Self.shop("--profile", "quiet day") == ["empty", "12", "401"])
    }

    @Test func `profiles stack, the last one wins, and a selection wins over all of them`() throws {
        let stacked = try Self.shop("--profile", "offline", "--profile", "quiet day")
        #expect(stacked == ["empty", "curl 56", "401"])
        #expect(try Self.shop("--profile", "nothing there", "--select", "cart=full") == ["full", "none", "welcome"])
    }

    @Test(arguments: [
        ("offline", "curl 56"), ("server-error", "500"), ("rate-limited", "429"), ("unauthorized", "401"),
    ])
    func `every set has the built-in profiles, without a line in the file`(_ profile: String, answer: String) throws {
        #expect(try Self.shop("--profile", profile) == [answer, answer, answer])
    }

    @Test func `a profile can be limited to sets and origins`() throws {
        let toSets = try Self.shop("--profile", "server-error=cart,price=net")
        #expect(toSets == ["500", "500", "welcome"])
        let toOrigin = try Self.shop("--profile", "server-error=https://login.example")
        #expect(toOrigin == ["full", "12", "500"])
    }

    @Test func `a profile for an origin that no set is for is a warning`() throws {
        let played = try PlayedCassette(
            Self.shop,
            "--profile",
            "unauthorized=http://nobody.test,https://login.example"
        )
        let warning = "warning: the profile \"unauthorized\" changes nothing for "
        let printed = try played.stop()
        #expect(printed.contains("\(warning)http://nobody.test: "), "\(printed)")
        #expect(printed.components(separatedBy: warning).count == 2, "\(printed)")
        let request = ["GET", "https://login.example/", "--profile", "quiet day=price=net"]
        let explained = try played.folder.tapedeck(["explain", "x"] + request)
        #expect(explained.exitCode == 0)
        #expect(
            explained.errorText.contains("warning: the profile \"quiet day\" changes nothing for price=net"),
            "\(explained.errorText)"
        )
    }

    @Test func `a flaky network resets about every fifth connection, in the same order for the same seed`() throws {
        func run(_ seed: String) throws -> [String] {
            let played = try PlayedCassette(
                PlayedCassette.variants(Self.login),
                "--profile",
                "flaky",
                "--seed",
                seed
            )
            let answers = try played.ask(times: 60)
            try played.stop()
            return answers
        }
        let answers = try run("7")
        #expect(Set(answers) == ["welcome", "curl 56"])
        #expect((3...27).contains(answers.count { $0 == "curl 56" }))
        #expect(try run("7") == answers)
        #expect(try run("8") != answers)
    }

    @Test func `built-in rate-limited and unauthorized answers can be read by programs`() throws {
        let played = try PlayedCassette(
            PlayedCassette.variants(Self.login),
            "--profile",
            "rate-limited"
        )
        let answer = try played.response(PlayedCassette.url)
        #expect(answer.status == 429)
        #expect(answer.values("retry-after") == ["1"])
        #expect(answer.text == #"{"error":"too many requests"}"#, "\(answer.text)")
        try played.stop()
    }

    @Test func `show lists the variants, their behaviour, the default, and the profiles`() throws {
        let folder = try TestFolder()
        try folder.write(Self.shop, to: "cassettes/x.yaml")
        let result = try folder.tapedeck("show", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        for name in ["cart", "price=net", "login", "full", "empty", "nothing there", "quiet day"] {
            #expect(result.outputText.contains(name), "\(result.outputText)")
        }
    }

    @Test func `show distinguishes sets of one URL by their conditions`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: first
                request: { url: https://a.example/x, headers: { accept: json }, body: { text: a } }
                priority: 1
                requires: { cart: full }
                variants: [{ name: ok, empty: true }]
              - name: second
                request: { url: https://a.example/x }
                variants: [{ name: ok, empty: true }]
            """,
            to: "cassettes/x.yaml"
        )
        let lines = try folder.tapedeck("show", "x").outputText.split(separator: "\n")
        let first = "first         any https://a.example/x + header accept, body, requires cart, priority 1  ok  "
        #expect(lines.contains { $0.hasPrefix(first) }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("second        any https://a.example/x     ") }, "\(lines)")
    }

    @Test func `a deck listens on this machine only, and prints what it plays`() throws {
        let played = try PlayedCassette(PlayedCassette.variants(Self.login))
        let control = try #require(played.deck.controlURL?.split(separator: ":").last)
        for port in ["\(played.deck.port)", String(control)] {
            let sockets = try played.folder.run(["ss", "-H", "-l", "-t", "-n", "sport = :\(port)"])
            let addresses = sockets.outputText.split(separator: "\n").map { $0.split(separator: " ")[3] }
            #expect(addresses == ["127.0.0.1:\(port)"], "\(sockets.errorText)")
        }
        #expect(try played.stop().contains("replay x at http://127.0.0.1:"))
    }
}
