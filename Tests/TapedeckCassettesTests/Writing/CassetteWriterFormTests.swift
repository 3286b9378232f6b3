import TapedeckCassettes
import Testing

/// Everything has one spelling, which stays when a cassette is rewritten; other spellings change into it.
@Suite
struct CassetteWriterFormTests {
    private func rewritten(_ text: String) throws -> String {
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)")
        return String(decoding: CassetteWriter.text(of: result.cassette), as: UTF8.self)
    }

    @Test func settingsHaveOneForm() throws {
        let text = """
            tapedeck: 1
            about: An example
            match: [method, path]
            ignore:
              query: [ts]
              headers: [Date, X-Request-Id]
              json: [$.at]
            time:
              shift: true
              json: [$.created_at]
            delay: 200ms
            state:
              cart: full
              step: '1'
            responseSets:
              - name: a
                priority: -1
                request:
                  url: /
                requires: { cart: full, user: null }
                sets: { cart: null }
                selected: late
                variants:
                  - name: soon
                    fault: timeout
                  - name: late
                    fault: timeout
            profiles:
              nothing: {}
              down:
                '*': offline
                https://a.test: slow
                a: soon

            """
        #expect(try self.rewritten(text) == text)
        #expect(try self.rewritten("tapedeck: 1\ntime: shift\n") == "tapedeck: 1\ntime: shift\nresponseSets: []\n")
        #expect(
            try self.rewritten("tapedeck: 1\nignore: {}\ntime: { shift: false }") == "tapedeck: 1\nresponseSets: []\n"
        )
    }

    @Test func requestsHaveOneForm() throws {
        let text = """
            tapedeck: 1
            responseSets:
              - name: a
                request:
                  method: [GET, POST]
                  urlPattern: { pattern: /users/\\d+, ignoreCase: true }
                  host: [a.test, '*.b.test:8443']
                  query:
                    q: swift
                    tag: [a, b]
                    page: { greaterThan: 1, lessThan: 9.5 }
                    old: { absent: true }
                  otherQuery: refused
                  headers:
                    Accept: { contains: json }
                    X-Id: { pattern: '[a-f]+', ignoreCase: true }
                  cookies:
                    session: { present: true }
                  body:
                    pattern: a.*b
                    text: { prefix: a, not: ab }
                    json: |
                      {
                        "id": "{{any.uuid}}"
                      }
                    ignore: [$.at, $..ts]
                    ignoreArrayOrder: true
                    jsonSubset: '{"a":1}'
                    jsonPath:
                      $.n: 5
                      $.name: x
                      $.items: { type: array, count: 3 }
                      '$[''a b'']': [a, b]
                    form:
                      name: { suffix: x }
                    otherFields: refused
                    multipart:
                      note: hello
                      file: { filename: { suffix: .png }, contentType: image/png }
                    graphql:
                      operation: Find
                      variables: '{"id": 1}'
                    base64: /wA=
                  state: { cart: full, user: null }
                  all:
                    - headers:
                        a: b
                  any:
                    - method: GET
                      url: https://a.test/
                    - hostPattern: a|b
                  not:
                    cookies:
                      c: d
                variants:
                  - name: b
                    fault: timeout
              - name: template
                request:
                  urlTemplate: 'https://a.test/{id}'
                  body:
                    graphql: Find
                  not:
                    - method: GET
                    - method: PUT
                variants:
                  - name: b
                    fault: timeout

            """
        #expect(try self.rewritten(text) == text)
    }

    @Test func behavioursHaveOneForm() throws {
        let text = """
            tapedeck: 1
            responseSets:
              - name: a
                request:
                  urlTemplate: '/users/{id}'
                variants:
                  - name: takes
                    template: true
                    delay: { uniform: [100ms, 2s] }
                    bandwidth: 50 kB/s
                    dribble: { pieces: 5, over: 1.5s }
                    merge: '{"a":null}'
                    fuzz:
                      $.a: emoji
                    sets: { seen: 'yes' }
                    after: cycle
                    takes:
                      - status: 200
                        body:
                          text: '{{url.id}}'
                      - status: 404
                        fault: resetDuringBody
                        body:
                          text: all of it
                  - name: sequence
                    delay: { normal: 300ms, deviation: 50ms }
                    bandwidth: 64 KiB/s
                    after: { variant: takes }
                    sequence:
                      - takes
                      - times: 3
                        fault: timeout
                      - delay: { logNormal: 300ms, sigma: 0.4 }
                        variant: slow
                  - name: random
                    random:
                      - takes
                      - weight: 3
                        fault: hang
                  - name: when
                    delay: 1h
                    when:
                      method: GET
                    then: takes
                    otherwise:
                      passthrough: true
                  - name: other
                    variant: random

            """
        #expect(try self.rewritten(text) == text)
    }

    @Test(arguments: [
        ("url: /x\nmethod: any", "url: /x"), ("url: /x\nmethod: [GET]", "method: GET\nurl: /x"),
        ("url: /x\nquery: { q: { equals: a }, r: 1 }", "url: /x?q=a&r=1"),
        ("host: [A.test]", "host: a.test"), ("urlPattern: { pattern: /x }", "urlPattern: /x"),
        ("url: /x\nbody: { text: { equals: a } }", "url: /x\nbody:\n  text: a"),
        ("url: /x\nbody: { text: { pattern: a } }", "url: /x\nbody:\n  pattern: a"),
        ("url: /x\nbody: { graphql: { operation: F } }", "url: /x\nbody:\n  graphql: F"),
        ("url: /x\nheaders: { a: { present: false } }", "url: /x\nheaders:\n  a: { absent: true }"),
        ("url: /x\nnot: [{ method: GET }]", "url: /x\nnot:\n  method: GET"),
        (
            "url: /x?a=1&a=2\notherQuery: allowed\nquery: { b: 3 }",
            "url: /x\nquery:\n  a: ['1', '2']\n  b: '3'\notherQuery: allowed"
        ),
    ])
    func otherFormsBecomeTheCanonicalForm(_ lines: String, _ expected: String) throws {
        #expect(try self.rewritten(CassetteText.request(lines)) == CassetteText.request(expected))
    }

    @Test func aLongPatchIsWrittenOverSeveralLines() throws {
        let members = (1...6).map { "\"member\($0)\":\"value \($0)\"" }.joined(separator: ",")
        let text = CassetteText.variant("name: b\nmerge: '{\(members)}'\nfault: timeout")
        let written = try self.rewritten(text)
        #expect(written.contains("merge: |\n          {\n            \"member1\": \"value 1\",\n"))
        #expect(try self.rewritten(written) == written)
    }
}
