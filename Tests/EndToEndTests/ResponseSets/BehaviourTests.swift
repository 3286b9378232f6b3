import Foundation
import Testing

/// The behaviour of a variant from request to request.
@Suite(.ownThreads) struct BehaviourTests {
    /// The answers to `count` requests for the one set of a cassette.
    private static func answers(_ count: Int, _ variants: String, _ options: String...) throws -> [String] {
        let played = try PlayedCassette(PlayedCassette.variants(variants), options: options)
        let answers = try played.ask(times: count)
        try played.stop()
        return answers
    }

    private static func take(_ text: String) -> String { "{ status: 200, body: { text: \(text) } }" }
    private static let abc = "takes: [\(Self.take("a")), \(Self.take("b")), \(Self.take("c"))]"

    @Test(arguments: [
        ("repeat", ["a", "b", "c", "c", "c"]), ("cycle", ["a", "b", "c", "a", "b"]),
        ("unmatched", ["a", "b", "c", "501", "501"]), ("{ variant: other }", ["a", "b", "c", "o", "o"]),
    ])
    func `after controls what follows the last take`(_ after: String, answers: [String]) throws {
        let variants = """
            - name: main
              \(Self.abc)
              after: \(after)
            - name: other
              takes: [\(Self.take("o"))]
            """
        #expect(try Self.answers(5, variants) == answers)
    }

    @Test func `used-up takes are a separate reason`() throws {
        let played = try PlayedCassette(
            PlayedCassette.variants("- name: once\n  takes: [\(Self.take("a"))]\n  after: unmatched")
        )
        #expect(try played.ask(PlayedCassette.url) == "a")
        let answer = try played.response(PlayedCassette.url)
        #expect(answer.status == 501)
        #expect(answer.text.contains(#""reason": "usedUp""#), "\(answer.text)")
        #expect(answer.values("x-tapedeck-reason").first?.contains("are used up") == true, "\(answer.head)")
        #expect(try played.stop().contains("all takes of its variant \"once\" are used up"))
    }

    @Test func `two failures, then the recorded answer`() throws {
        let variants = """
            - name: recorded
              takes: [\(Self.take("fine"))]
            - name: failing at first
              sequence:
                - { empty: 503, times: 2 }
                - recorded
            """
        let answers = try Self.answers(4, variants, "--select", "x=failing at first")
        #expect(answers == ["503", "503", "fine", "fine"])
    }

    @Test func `a sequence takes any behaviours, and restarts with cycle`() throws {
        let variants = """
            - name: main
              sequence:
                - takes: [\(Self.take("a")), \(Self.take("b"))]
                - fault: emptyResponse
                - sequence: [{ empty: 418 }, { empty: true }]
                  times: 2
              after: cycle
            """
        let answers = try Self.answers(7, variants)
        #expect(answers == ["a", "b", "curl 52", "418", "204", "a", "b"])
    }

    private static let random = """
        - name: main
          random:
            - { weight: 3, takes: [\(Self.take("often"))] }
            - { weight: 1, empty: 503 }
            - { weight: 1, fault: connectionReset }
        """

    @Test func `random answers have the same order for the same seed, by their weights`() throws {
        let answers = try Self.answers(60, Self.random, "--seed", "7")
        #expect(Set(answers) == ["often", "503", "curl 56"])
        let often = answers.count { $0 == "often" }
        #expect(often > 20 && often < 52)
        #expect(try Self.answers(60, Self.random, "--seed", "7") == answers)
        #expect(try Self.answers(60, Self.random, "--seed", "8") != answers)
    }

    @Test func `a generated seed is printed, and repeats the order when given`() throws {
        let played = try PlayedCassette(PlayedCassette.variants(Self.random))
        let answers = try played.ask(times: 40)
        let printed = try played.stop()
        let seed = try #require(printed.firstMatch(of: #/seed (\d+)/#).map { String($0.1) }, "\(printed)")
        #expect(try Self.answers(40, Self.random, "--seed", seed) == answers)
    }

    @Test func `an answer depends on the request`() throws {
        let played = try PlayedCassette(
            """
            tapedeck: 1
            responseSets:
              - name: login
                request: { method: POST, url: http://a.example/login }
                variants:
                  - name: by user
                    when: { body: { form: { user: ada } } }
                    then: { takes: [\(Self.take("hello ada"))] }
                    otherwise:
                      when: { headers: { X-Guest: { present: true } } }
                      then: guest
                      otherwise: { empty: 401 }
                  - name: guest
                    takes: [\(Self.take("hello guest"))]
              - name: fallback
                request: { host: a.example }
                variants:
                  - name: ada only
                    when: { query: { user: ada } }
                    then: { takes: [\(Self.take("only ada"))] }
            """
        )
        let url = "http://a.example/login"
        #expect(try played.ask("-d", "user=ada", url) == "hello ada")
        #expect(try played.ask("-d", "user=bob", "-H", "X-Guest: 1", url) == "hello guest")
        #expect(try played.ask("-d", "user=bob", url) == "401")
        // Without `otherwise` the set does not answer.
        #expect(try played.ask("http://a.example/?user=ada") == "only ada")
        #expect(try played.ask("http://a.example/?user=bob") == "501")
        try played.stop()
    }

    @Test func `a variant with no answer left falls through to the next set`() throws {
        let played = try PlayedCassette(
            """
            tapedeck: 1
            responseSets:
              - name: once
                request: { url: \(PlayedCassette.url) }
                variants:
                  - { name: ok, takes: [\(Self.take("first"))], after: unmatched }
              - name: ever after
                request: { urlTemplate: 'http://a.example/{any}' }
                variants:
                  - { name: ok, takes: [\(Self.take("then"))] }
            """
        )
        #expect(try played.ask(times: 3) == ["first", "then", "then"])
        try played.stop()
    }

    @Test func `an empty answer has no body`() throws {
        let played = try PlayedCassette(
            PlayedCassette.variants("- { name: none, sequence: [{ empty: true }, { empty: 200 }] }")
        )
        let none = try played.response(PlayedCassette.url)
        #expect(none.status == 204 && none.body.isEmpty)
        let empty = try played.response(PlayedCassette.url)
        #expect(empty.status == 200 && empty.body.isEmpty)
        #expect(empty.values("content-length") == ["0"])
        try played.stop()
    }

    @Test func `every form of body and header is sent`() throws {
        let played = try PlayedCassette(
            PlayedCassette.variants(
                """
                - name: all
                  takes:
                    - { status: 201, headers: { Content-Type: application/json }, body: { json: '{"a": 1}' } }
                    - { status: 202, reason: Sure, headers: [{ Set-Cookie: a=1 }, { Set-Cookie: b=2 }] }
                    - { status: 200, body: { base64: /wD+ } }
                    - { status: 200, body: { file: x/photo.bin } }
                """
            ),
            in: Self.folder(with: "cassettes/x/photo.bin", "from a file")
        )
        let json = try played.response(PlayedCassette.url)
        #expect(json.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
        #expect(json.values("content-type") == ["application/json"] && json.text == #"{"a": 1}"#)
        let cookies = try played.response(PlayedCassette.url)
        #expect(cookies.head.hasPrefix("HTTP/1.1 202 Sure\r\n"))
        #expect(cookies.values("set-cookie") == ["a=1", "b=2"])
        let bytes = try played.folder.run(Curl.through(played.deck) + [PlayedCassette.url])
        #expect(bytes.output == Data([0xFF, 0x00, 0xFE]))
        #expect(try played.ask(PlayedCassette.url) == "from a file")
        try played.stop()
    }

    private static func folder(with name: String, _ text: String) throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(text, to: name)
        return folder
    }
}
