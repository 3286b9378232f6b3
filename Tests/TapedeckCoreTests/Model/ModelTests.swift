import TapedeckCore
import Testing

@Suite
struct StatusPhraseTests {
    @Test(arguments: [
        (100, "Continue"), (103, "Early Hints"), (200, "OK"), (204, "No Content"), (226, "IM Used"),
        (304, "Not Modified"), (308, "Permanent Redirect"), (404, "Not Found"), (413, "Content Too Large"),
        (418, ""), (422, "Unprocessable Content"), (429, "Too Many Requests"), (431, "Request Header Fields Too Large"),
        (501, "Not Implemented"), (511, "Network Authentication Required"), (299, ""), (999, ""),
    ])
    func reasonPhrasesMatchTheRegistry(_ status: Int, _ phrase: String) {
        #expect(StatusPhrase.standard(status) == phrase)
    }

    @Test func aTakeKnowsHowLongItsOriginTook() {
        let recorded = Take.recorded(at: "2026-11-21T10:00:00Z", latency: 120)
        #expect(recorded == "2026-11-21T10:00:00Z, answered in 120 ms")
        #expect(Take(recorded: recorded).latency == 120)
        #expect(Take(recorded: "2026-11-21T10:00:00Z").latency == nil)
        #expect(Take().latency == nil)
    }

    @Test func aTakeUsesItsOwnReasonWhereItHasOne() {
        #expect(Take(status: 404).reasonPhrase == "Not Found")
        #expect(Take(status: 404, reason: "Gone Fishing").reasonPhrase == "Gone Fishing")
        #expect(Take(status: 404, reason: "").reasonPhrase == "")
        #expect(Take(status: 799).reasonPhrase == "")
    }
}

@Suite
struct FaultTests {
    @Test(
        arguments: [
            (Fault.connectionRefused, 502), (.tlsHandshake, 502), (.nameNotResolved, 502), (.malformedResponse, 502),
            (.timeout, 504), (.connectionReset, nil), (.emptyResponse, nil), (.truncatedBody, nil),
        ] as [(Fault, Int?)]
    )
    func aFaultBeforeTheOriginIsReachedIsAGatewayStatus(_ fault: Fault, _ status: Int?) {
        #expect(fault.gatewayStatus == status)
    }

    @Test func everyFaultExplainsItselfInItsOwnWords() {
        #expect(Set(Fault.allCases.map(\.explanation)).count == Fault.allCases.count)
        for fault in Fault.allCases {
            let body = fault.gatewayBody(method: "GET", url: "https://a.test/", detail: nil)
            #expect(
                body
                    == .object([
                        ("error", .string(fault.rawValue)),
                        (
                            "message",
                            .string(
                                "Tapedeck could not get an answer for GET https://a.test/: \(fault.explanation)."
                            )
                        ),
                    ])
            )
        }
    }

    @Test func theGatewayBodyEndsWithTheDetail() {
        let body = Fault.tlsHandshake.gatewayBody(method: "GET", url: "https://a.test/", detail: "expired")
        #expect(body.compact.hasSuffix(#","detail":"expired"}"#))
    }

    @Test func someFaultsGoWithAResponse() {
        let with: [Fault] = [
            .truncatedBody, .resetBeforeBody, .resetDuringBody, .resetAfterBody, .malformedChunk, .goAway,
            .missingTrailers, .stalledBody,
        ]
        for fault in Fault.allCases {
            #expect(Take(fault: fault).isFaultAlone == !with.contains(fault))
        }
        #expect(!Take().isFaultAlone)
    }
}

@Suite
struct HeaderFieldTests {
    private let fields = [
        HeaderField("Set-Cookie", "a=1"), HeaderField("Connection", " Keep-Alive ,, X-One"),
        HeaderField("set-cookie", "b=2"), HeaderField("CONNECTION", "\tUpgrade\t"),
    ]

    @Test func namesAreCaseInsensitive() {
        #expect(self.fields.first(named: "SET-COOKIE") == "a=1")
        #expect(self.fields.contains(named: "connection"))
        #expect(self.fields.first(named: "cookie") == nil)
        #expect(!self.fields.contains(named: "set-cookies"))
        #expect(!HeaderField("É", "").isNamed("é"))
    }

    @Test func tokensAreGatheredFromAllFieldsOfTheName() {
        #expect(self.fields.tokens(named: "connection") == ["keep-alive", "x-one", "upgrade"])
        #expect(self.fields.tokens(named: "te").isEmpty)
    }

    @Test(arguments: [("", ""), (" ", ""), (" \t ", ""), ("a", "a"), (" a b\t", "a b"), ("\u{A0}a", "\u{A0}a")])
    func trimsSpacesAndTabsOnly(_ text: String, _ trimmed: String) {
        #expect(text[...].trimmingSpaces() == trimmed)
    }
}

@Suite
struct StoredBodyTests {
    @Test(
        arguments: [
            ("gzip", [.gzip]), ("GZIP", [.gzip]), ("x-gzip", [.gzip]), ("deflate", [.deflate]), ("br", [.br]),
            ("zstd", [.zstd]), ("identity", []), ("", []), (" gzip ", [.gzip]), ("gzip, br", [.gzip, .br]),
            ("gzip,identity,gzip", [.gzip, .gzip]), ("compress", nil), ("gzip, compress", nil),
            ("br, br, br, br, br", [.br, .br, .br, .br, .br]), ("br, br, br, br, br, br", nil), ("utf-8", []),
            ("gzip, UTF-8", [.gzip]), ("none", []),
        ] as [(String, [ContentCoding]?)]
    )
    func knowsTheCodingsItCanUndo(_ value: String, _ codings: [ContentCoding]?) {
        #expect(ContentCoding.all(of: [HeaderField("content-encoding", value)]) == codings)
    }

    @Test func codingsInSeveralFieldsAreOnTopOfEachOther() {
        let fields = [HeaderField("Content-Encoding", "gzip"), HeaderField("content-encoding", "br")]
        #expect(ContentCoding.all(of: fields) == [.gzip, .br])
        #expect(ContentCoding.all(of: []) == [])
    }

    @Test func aBodyKnowsItsCoding() {
        #expect(StoredBody.none.coding == nil)
        #expect(StoredBody.inline(InlineBody(form: .text, content: [1], coding: .gzip)).coding == .gzip)
        #expect(StoredBody.file(BodyFile(name: "a", path: "b", size: 1, coding: .deflate)).coding == .deflate)
    }

    @Test func theLayoutIsPutBackWhenABodyIsDecoded() {
        let content = Array("{\n  \"a\": 1\n}\n".utf8)
        #expect(InlineBody(form: .json, content: content).decoded == content)
        #expect(InlineBody(form: .json, content: content, layout: .spacedLine).decoded == Array("{\"a\": 1}\n".utf8))
    }

    @Test func aBodyThatIsMadeWhenAskedForIsEqualToOneInMemory() {
        let content = Array("{\n  \"a\": 1\n}\n".utf8)
        let deferred = InlineBody(form: .json, layout: .compact, coding: .gzip) { content }
        let inMemory = InlineBody(form: .json, content: content, layout: .compact, coding: .gzip)
        #expect(deferred == inMemory)
        #expect(deferred.resolved == deferred)
        #expect(deferred.decoded == Array(#"{"a":1}"#.utf8))
        #expect(deferred != InlineBody(form: .json, layout: .compact, coding: .gzip) { content + [0x0A] })
        #expect(deferred != InlineBody(form: .json, content: content, layout: .spaced, coding: .gzip))
        #expect(deferred != InlineBody(form: .json, content: content, layout: .compact))
        #expect(deferred != InlineBody(form: .text, content: content, layout: .compact, coding: .gzip))
    }
}
