import Foundation
import TestShare
import Testing

/// Answers with something of the request, the session or the day in them.
@Suite(.ownThreads) struct TemplateTests {
    private static func cassette(
        _ body: String,
        headers: String = "{ Content-Type: text/plain }",
        top: String = ""
    )
        -> String
    {
        """
        tapedeck: 1
        \(top)
        responseSets:
          - name: x
            request: { urlTemplate: 'http://a.example/users/{id}' }
            sets: { seen: 'before' }
            variants:
              - name: ok
                template: true
                takes:
                  - status: 200
                    headers: \(headers)
                    body: \(body)

        """
    }

    private static let url = "http://a.example/users/7"

    @Test func `templates render values of the request`() throws {
        let text =
            "{{url.id}} {{query.q}} {{header.x-one}} {{cookie.c}} {{json.user.name}} {{json.list.1}} {{request.method}}"
        let played = try PlayedCassette(Self.cassette("{ text: '\(text)' }"))
        let answer = try played.ask(
            "-H",
            "X-One: 1",
            "-b",
            "c=2",
            "-d",
            #"{"user":{"name":"ada"},"list":["a","b"]}"#,
            Self.url + "?q=a%20b"
        )
        #expect(answer == "7 a b 1 2 ada b POST")
        // Missing values render empty.
        #expect(try played.ask(Self.url) == "7      GET")
        try played.stop()
    }

    @Test func `templates render form fields, the number of the answer and the state`() throws {
        let played = try PlayedCassette(Self.cassette("{ text: '{{form.user}} {{take}} {{state.seen}}' }"))
        #expect(try played.ask("-d", "user=ada+l", Self.url) == "ada l 1 ")
        #expect(try played.ask("-d", "user=bob", Self.url) == "bob 2 before")
        try played.stop()
    }

    @Test func `a value stays inside its JSON string and its header line`() throws {
        let played = try PlayedCassette(
            Self.cassette(
                #"{ json: '{"name": "{{query.q}}", "n": {{url.id}}}' }"#,
                headers: "{ Content-Type: application/json, X-Echo: '{{query.q}}' }"
            )
        )
        let answer = try played.response(Self.url + "?q=%22%0D%0AX-Evil:%201%22")
        #expect(answer.text == #"{"name": "\"\r\nX-Evil: 1\"", "n": 7}"#, "\(answer.text)")
        #expect(answer.values("x-evil").isEmpty)
        #expect(answer.values("x-echo").first?.hasPrefix("\"") == true, "\(answer.head)")
        try played.stop()
    }

    @Test func `a value of a request is never read as a template`() throws {
        let played = try PlayedCassette(Self.cassette("{ text: '{{query.q}}' }"))
        #expect(try played.ask("-g", Self.url + "?q={{take}}") == "{{take}}")
        try played.stop()
    }

    @Test func `random values follow from the seed`() throws {
        let text = "{{random.uuid}} {{random.number-10-20}} {{random.hex-8}}"
        func run(_ seed: String) throws -> [String] {
            let played = try PlayedCassette(Self.cassette("{ text: '\(text)' }"), "--seed", seed)
            let answers = try played.ask(times: 3, Self.url)
            try played.stop()
            return answers
        }
        let answers = try run("7")
        for answer in answers {
            let shape = #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} (1[0-9]|20) [0-9a-f]{8}/#
            #expect(answer.wholeMatch(of: shape) != nil, "\(answer)")
        }
        #expect(Set(answers).count == 3)
        #expect(try run("7") == answers)
        #expect(try run("8") != answers)
    }

    /// The years that it may be while the test runs.
    private static func year(after seconds: TimeInterval = 0) -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        return calendar.component(.year, from: Date(timeIntervalSinceNow: seconds))
    }

    @Test func `now has a format and an offset`() throws {
        let text =
            "{{now}}|{{now.date}}|{{now.http}}|{{now.plus-400d.date}}|{{#now.minus-400d}}%Y %m{{/now.minus-400d}}"
        let before = (Self.year(), Self.year(after: 400 * 86_400), Self.year(after: -400 * 86_400))
        let played = try PlayedCassette(Self.cassette("{ text: '\(text)' }"))
        let parts = try played.ask(Self.url).split(separator: "|")
        let after = (Self.year(), Self.year(after: 400 * 86_400), Self.year(after: -400 * 86_400))
        try played.stop()
        try #require(parts.count == 5)
        #expect(parts[0].wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil)
        #expect((before.0...after.0).contains(Int(parts[1].prefix(4)) ?? 0))
        #expect(parts[2].wholeMatch(of: #/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/#) != nil)
        #expect((before.1...after.1).contains(Int(parts[3].prefix(4)) ?? 0))
        #expect((before.2...after.2).contains(Int(parts[4].prefix(4)) ?? 0))
    }

    @Test func `the dates of an old tape play as of today`() throws {
        let cassette = """
            tapedeck: 1
            time: { shift: true, json: [$.created_at] }
            responseSets:
              - name: x
                request: { url: \(PlayedCassette.url) }
                variants:
                  - name: recorded
                    takes:
                      - status: 200
                        recorded: '2011-05-05T10:00:00Z'
                        headers:
                          - Date: Thu, 05 May 2011 10:00:00 GMT
                          - Expires: Thu, 05 May 2011 10:00:00 GMT
                          - Last-Modified: Thu, 05 May 2011 09:59:59 GMT
                          - Set-Cookie: id=1; Expires=Thu, 05 May 2011 10:00:00 GMT; Path=/
                          - X-Other: Thu, 05 May 2011 10:00:00 GMT
                          - Content-Type: application/json
                        body: { json: '{"created_at": "2011-05-05T10:00:00.000Z", "born_at": "1912-06-23T00:00:00Z"}' }

            """
        let before = Self.year(after: -1)
        let played = try PlayedCassette(cassette)
        let answer = try played.response(PlayedCassette.url)
        let years = before...Self.year()
        try played.stop()
        for name in ["date", "expires", "last-modified", "set-cookie"] {
            let value = try #require(answer.values(name).first)
            let year = try #require(value.firstMatch(of: #/\s(\d{4})\s/#).flatMap { Int($0.1) }, "\(value)")
            #expect(years.contains(year), "\(name): \(value)")
        }
        #expect(answer.values("set-cookie").first?.hasPrefix("id=1; Expires=") == true)
        #expect(answer.values("set-cookie").first?.hasSuffix(" GMT; Path=/") == true)
        #expect(answer.values("x-other") == ["Thu, 05 May 2011 10:00:00 GMT"])
        let created = try #require(answer.text.firstMatch(of: #/"created_at": ?"(\d{4})-/#).flatMap { Int($0.1) })
        #expect(years.contains(created))
        #expect(answer.text.contains("1912-06-23T00:00:00Z"))
    }

    @Test func `a recorded body is changed by a merge`() throws {
        let played = try PlayedCassette(
            PlayedCassette.variants(
                """
                - name: recorded
                  takes: [{ status: 200, body: { json: '{"user": {"name": "ada", "admin": false}, "n": 1}' } }]
                - name: admin
                  variant: recorded
                  merge: '{"user": {"admin": true}, "n": null}'
                """
            ),
            "--select",
            "x=admin"
        )
        #expect(try played.ask(PlayedCassette.url) == #"{"user":{"name":"ada","admin":true}}"#)
        try played.stop()
    }

    @Test(
        .long,
        arguments: [
            ("longStrings", #"\{"name":"[^"]{4000,}","n":1\}"#), ("emoji", #"\{"name":"[^"a]+ada[^"a]+","n":1\}"#),
            ("emptyStrings", #"\{"name":"","n":1\}"#), ("nulls", #"\{"name":null,"n":null\}"#),
            ("dropKeys", #"\{("name":"ada"|"n":1)?\}"#), ("wrongTypes", #"\{"name":\d+,"n":"1"\}"#),
            ("hugeNumbers", #"\{"name":"ada","n":(\d{19,}|1e\d+)\}"#), ("negativeNumbers", #"\{"name":"ada","n":-1\}"#),
        ]
    )
    func `a recorded body is spoilt, in the same way for the same seed`(
        _ kind: String,
        shape: String
    ) throws {
        func run() throws -> String {
            let played = try PlayedCassette(
                PlayedCassette.variants(
                    """
                    - name: spoilt
                      takes: [{ status: 200, body: { json: '{"name": "ada", "n": 1}' } }]
                      fuzz: { $: \(kind) }
                    """
                ),
                "--seed",
                "7"
            )
            defer { _ = try? played.stop() }
            return try played.ask(PlayedCassette.url)
        }
        let answer = try run()
        #expect(try answer.wholeMatch(of: Regex(shape)) != nil, "\(answer.prefix(200))")
        #expect(try run() == answer)
    }

    @Test func `a template with an unknown capture is reported before it plays`() throws {
        let folder = try TestFolder()
        try folder.write(Self.cassette("{ text: 'user {{url.name}}' }"), to: "cassettes/x.yaml")
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 65)
        #expect(check.outputText.contains(":13:"), "\(check.outputText)")
        #expect(check.outputText.contains("`url.name` names no capture name; the URL has: id"), "\(check.outputText)")
    }
}
