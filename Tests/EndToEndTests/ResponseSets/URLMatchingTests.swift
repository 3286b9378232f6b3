import Foundation
import Testing

/// The URLs that a response set answers.
@Suite(.ownThreads) struct URLMatchingTests {
    @Test func `a set for a path answers on every origin`() throws {
        let played = try PlayedCassette(
            PlayedCassette.naming(
                ("exact", "{ url: '/health?deep=1' }"),
                ("template", "{ urlTemplate: '/users/{id}' }"),
                ("pattern", #"{ urlPattern: '/orders/\d+(\?.*)?' }"#)
            )
        )
        for base in ["http://a.example", "https://b.example:8443"] {
            let urls = ["/health?deep=1", "/users/7", "/users/7?page=2", "/orders/12?x=y", "/orders/twelve", "/health"]
            let answers = try played.ask(each: urls.map { base + $0 })
            #expect(answers == ["exact", "template", "template", "pattern", "501", "501"])
        }
        try played.stop()
    }

    @Test func `a host limits a path, or represents all paths`() throws {
        let played = try PlayedCassette(
            PlayedCassette.naming(
                ("below", "{ host: '*.example.com', url: /x }"),
                ("one of two", "{ host: [one.example, 'two.example:8080'], urlTemplate: '/{any}' }"),
                ("pattern", #"{ hostPattern: 'shard\d+\.example', urlPattern: '/[xy]' }"#),
                ("whole host", "{ host: whole.example }")
            )
        )
        let answers = try played.ask(
            each: [
                "https://api.example.com/x", "http://example.com/x", "http://one.example/abc",
                "http://two.example:8080/abc", "http://two.example/abc", "http://shard12.example/y",
                "http://shard.example/y", "https://whole.example/any/path?at=all",
            ]
        )
        #expect(answers == ["below", "501", "one of two", "one of two", "501", "pattern", "501", "whole host"])
        try played.stop()
    }

    @Test func `a template captures its gaps`() throws {
        let played = try PlayedCassette(
            """
            tapedeck: 1
            responseSets:
              - name: repository
                request: { urlTemplate: 'https://api.example.com/repos/{owner}/{name}?page={page}' }
                variants:
                  - name: ok
                    template: true
                    takes: [{ status: 200, body: { text: '{{url.owner}} {{url.name}} {{url.page}}' } }]
              - name: files
                request: { urlTemplate: 'https://api.example.com/files/{+path}' }
                variants:
                  - name: ok
                    template: true
                    takes: [{ status: 200, body: { text: '{{url.path}}' } }]
              - name: everything else there
                request: { urlTemplate: 'https://api.example.com' }
                variants:
                  - name: ok
                    takes: [{ status: 200, body: { text: other } }]
            """
        )
        let base = "https://api.example.com"
        let answers = try played.ask(
            each: ["/repos/a/b%20c?page=2", "/files/d/e/f.txt", "/repos/a/b", "/"].map { base + $0 }
        )
        #expect(answers == ["a b c 2", "d/e/f.txt", "other", "other"])
        try played.stop()
    }

    @Test func `a regular expression on the URL matches, and its captures render in the answer`() throws {
        let played = try PlayedCassette(
            """
            tapedeck: 1
            responseSets:
              - name: repository
                request:
                  method: GET
                  urlPattern:
                    pattern: https://api\\.example\\.com/Repos/(?<owner>[^/]+)/([^/?]+)
                    ignoreCase: true
                variants:
                  - name: ok
                    template: true
                    takes:
                      - status: 200
                        headers: { Content-Type: application/json }
                        body: { json: '{"full_name": "{{url.owner}}/{{url.2}}"}' }
            """
        )
        let found = try played.ask("https://api.example.com/repos/swiftlang/swift")
        #expect(found == #"{"full_name": "swiftlang/swift"}"#)
        // It must match the whole URL.
        #expect(try played.ask("https://api.example.com/repos/swiftlang/swift/issues") == "501")
        try played.stop()
    }

    @Test func `an exact URL comes before a template, a template before a pattern, and a pattern before a host`() throws
    {
        let played = try PlayedCassette(
            PlayedCassette.naming(
                ("host", "{ host: a.example }"),
                ("pattern", "{ urlPattern: 'http://a\\.example/users/.*' }"),
                ("template", "{ urlTemplate: 'http://a.example/users/{id}' }"),
                ("exact", "{ url: http://a.example/users/1 }")
            )
        )
        let answers = try played.ask(each: ["1", "2", "2/x", "../z"].map { "http://a.example/users/" + $0 })
        #expect(answers == ["exact", "template", "pattern", "host"])
        try played.stop()
    }

    @Test func `of equal sets the one with more conditions wins, then the first in the file`() throws {
        let played = try PlayedCassette(
            PlayedCassette.naming(
                ("first", "{ urlTemplate: 'http://a.example/{x}' }"),
                ("second", "{ urlTemplate: 'http://a.example/{y}' }"),
                ("particular", "{ urlTemplate: 'http://a.example/{x}', query: { page: '2' } }")
            )
        )
        #expect(try played.ask(each: ["http://a.example/x", "http://a.example/x?page=2"]) == ["first", "particular"])
        try played.stop()
    }

    @Test func `a priority outranks everything else`() throws {
        let cassette = PlayedCassette.naming(
            ("exact", "{ url: http://a.example/x }"),
            ("everything", "{ host: a.example }"),
            ("last resort", "{ urlPattern: '.*' }")
        )
        let played = try PlayedCassette(
            cassette.replacing("name: everything\n", with: "name: everything\n    priority: 1\n")
                .replacing("name: exact\n", with: "name: exact\n    priority: -1\n")
        )
        #expect(try played.ask(each: ["http://a.example/x", "http://b.example/"]) == ["everything", "last resort"])
        #expect(try played.stop().contains("never requested: \"exact\""))
    }

    @Test func `an endless pattern is cut off and reported`() throws {
        let cassette = PlayedCassette.naming(("endless", "{ urlPattern: 'http://a\\.example/(a+)+[yz]?(?<!!)' }"))
        let played = try PlayedCassette(cassette)
        let answer = try played.response("http://a.example/" + String(repeating: "a", count: 56) + "!")
        #expect(answer.status == 501)
        #expect(answer.values("x-tapedeck-reason").first?.contains("cut off") == true, "\(answer.head)")
        #expect(answer.text.contains("patternCutOff"))
        // It still answers a request that it can decide at once.
        #expect(try played.ask("http://a.example/aaa") == "endless")
        let summary = try played.stop()
        #expect(summary.contains("cut off") && summary.contains("\"endless\""), "\(summary)")
    }
}
