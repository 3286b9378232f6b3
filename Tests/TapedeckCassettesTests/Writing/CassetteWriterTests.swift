import TapedeckCassettes
import TapedeckCore
import TestShare
import Testing

@Suite
struct CassetteWriterTests {
    private func read(_ text: [UInt8], path: String = "test.yaml") -> CassetteReader.Result {
        CassetteReader.read(text, name: "test", path: path)
    }

    @Test(arguments: seeds(6))
    func aWrittenCassetteReadsBackTheSame(seed: UInt64) throws {
        var random = try RandomCassette(seed: seed)
        let path = random.folder.path("test.yaml")
        for _ in 0..<25 {
            let cassette = random.make(path: path)
            let text = CassetteWriter.text(of: cassette)
            let result = self.read(text, path: path)
            try #require(!result.hasErrors, "\(result.diagnostics)\n\(String(decoding: text, as: UTF8.self))")
            try #require(result.cassette == cassette, "\(String(decoding: text, as: UTF8.self))")
            #expect(CassetteWriter.text(of: result.cassette) == text)
        }
    }

    @Test(arguments: seeds(3))
    func otherReadersReadTheSame(seed: UInt64) throws {
        var random = try RandomCassette(seed: seed)
        for _ in 0..<15 {
            let text = String(decoding: CassetteWriter.text(of: random.make(path: "test.yaml")), as: UTF8.self)
            // Yams loses a byte order mark at the beginning of a text.
            func tree(_ tree: YAMLTree?) -> [Unicode.Scalar] {
                "\(tree as Any)".unicodeScalars.filter { $0 != "\u{FEFF}" }
            }
            try #require(tree(try YAMLTree.oracle(text)) == tree(try YAMLTree.ours(text)), "\(text)")
        }
    }

    @Test func writesReadableYAML() throws {
        var take = Take(
            status: 200,
            headers: [HeaderField("Content-Type", "application/json"), HeaderField("age", "60")]
        )
        take.recorded = "2026-11-21T10:00:00Z"
        take.body = .inline(
            InlineBody(form: .json, content: Array("{\n  \"a\": 1\n}\n".utf8), layout: .compact, coding: .gzip)
        )
        take.trailers = [HeaderField("Digest", "x")]
        take.request = Take.Request(
            headers: [HeaderField("Content-Type", "text/plain")],
            body: .inline(InlineBody(form: .text, content: Array("yes".utf8)))
        )
        let cut = Take(status: 206, body: .file(BodyFile(name: "a/b.bin", path: "", size: 1)), fault: .truncatedBody)
        let failed = Take(
            fault: .timeout,
            urlError: .cannotFindHost,
            detail: "no answer",
            recorded: "2026-11-21T10:00:01Z"
        )
        let hint = Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")])
        let plain = Take(
            status: 404,
            reason: "Nope",
            interim: [hint],
            endsAtClose: true,
            pieces: BodyPieces(.sizes([2, 3]))
        )
        let url = try #require(AbsoluteURL("https://a.test/a?b=c"))
        let json = InlineBody(form: .json, content: Array("[1]".utf8))
        let set = ResponseSet(
            name: "POST a.test/a",
            request: RequestMatcher(method: "POST", url: url, body: .json(json)),
            variants: [
                Variant(name: "recorded", takes: [take, cut, failed, plain]),
                Variant(name: "offline", takes: [Take(fault: .connectionReset)]),
            ]
        )
        let text = CassetteWriter.text(of: Cassette(name: "", about: "an: example", responseSets: [set]))
        #expect(
            String(decoding: text, as: UTF8.self) == """
                tapedeck: 1
                about: 'an: example'
                responseSets:
                  - name: POST a.test/a
                    request:
                      method: POST
                      url: https://a.test/a?b=c
                      body:
                        json: '[1]'
                    variants:
                      - name: recorded
                        takes:
                          - status: 200
                            recorded: '2026-11-21T10:00:00Z'
                            request:
                              headers:
                                - Content-Type: text/plain
                              body:
                                text: 'yes'
                            headers:
                              - Content-Type: application/json
                              - age: '60'
                            body:
                              json: |
                                {
                                  "a": 1
                                }
                              layout: compact
                              encoding: gzip
                            trailers:
                              - Digest: x
                          - status: 206
                            fault: truncatedBody
                            body:
                              file: a/b.bin
                          - fault: timeout
                            urlError: cannotFindHost
                            detail: no answer
                            recorded: '2026-11-21T10:00:01Z'
                          - status: 404
                            reason: Nope
                            interim:
                              - status: 103
                                headers:
                                  - Link: </a>
                            endsAtClose: true
                            pieces: [2, 3]
                      - name: offline
                        fault: connectionReset

                """
        )
    }

    @Test func anEmptyCassetteIsValid() {
        let text = CassetteWriter.text(of: Cassette(name: "", responseSets: []))
        #expect(String(decoding: text, as: UTF8.self) == "tapedeck: 1\nresponseSets: []\n")
        #expect(self.read(text).diagnostics.isEmpty)
    }

    /// `request: {}` may be written by hand, and must survive a rewriting.
    @Test func aTakeWithAnEmptyRequestReadsBack() throws {
        let text = CassetteText.take("status: 200\nrequest: {}")
        let first = self.read(Array(text.utf8))
        try #require(first.diagnostics.isEmpty)
        let second = self.read(CassetteWriter.text(of: first.cassette))
        #expect(second.diagnostics.isEmpty)
    }
}
