import Testing

@testable import TapedeckCore

@Suite
struct UnmatchedReportTests {
    private func report(_ method: String, _ url: String, _ cassettes: [Cassette]) throws -> UnmatchedReport {
        Tape(cassettes).explainMiss(try Samples.line(method, url), session: "default", mode: .replay)
    }

    @Test func saysWhatWasAskedForAndWhatCameNearest() throws {
        let cassette = try Samples.cassette(
            [
                Samples.set("search", "GET", "https://example.com/search?q=swift"),
                Samples.set("elsewhere", "GET", "https://other.example/search"),
            ],
            name: "github"
        )
        let report = try self.report("GET", "https://example.com/search?q=rust", [cassette])
        #expect(report.request.description == "GET https://example.com/search?q=rust")
        #expect(report.session == "default")
        #expect(report.mode == .replay)
        #expect(report.cassettes == ["github"])
        #expect(report.candidates == 2)
        #expect(
            report.nearest == [
                .init(set: "search", cassette: "github", differences: ["query q is rust, the tape has swift"])
            ]
        )
        #expect(report.summary == #"nearest is "search": query q is rust, the tape has swift"#)
        #expect(report.remedy == "tapedeck append github -- COMMAND")
    }

    @Test func theJSONHoldsAllOfIt() throws {
        let cassette = try Samples.cassette([Samples.set("a \"b\"", "GET", "https://example.com/a")], name: "api")
        let report = try self.report("POST", "https://example.com/a", [cassette])
        #expect(
            report.json.pretty == """
                {
                  "error": "unmatched",
                  "message": "Nothing on tape answers POST https://example.com/a: nearest is \\"a \\"b\\"\\": \
                method is POST, the tape has GET.",
                  "request": {
                    "method": "POST",
                    "url": "https://example.com/a"
                  },
                  "session": "default",
                  "mode": "replay",
                  "cassettes": [
                    "api"
                  ],
                  "candidates": 1,
                  "nearest": [
                    {
                      "set": "a \\"b\\"",
                      "cassette": "api",
                      "differences": [
                        "method is POST, the tape has GET"
                      ]
                    }
                  ],
                  "remedy": "To record what is missing: tapedeck append api -- COMMAND"
                }
                """
        )
    }

    @Test func withNothingOfTheOriginOnTapeItSaysSo() throws {
        let report = try self.report("GET", "https://example.com/a", [Samples.cassette([])])
        #expect(report.nearest.isEmpty)
        #expect(report.summary == "nothing on tape is for https://example.com")
        #expect(report.candidates == 0)
    }

    @Test func withoutACassetteTheRemedyStillReadsWell() throws {
        let report = try self.report("GET", "https://example.com/a", [])
        #expect(report.remedy == "tapedeck append NAME -- COMMAND")
        #expect(report.json.compact.contains(#""cassettes":[],"candidates":0,"nearest":[]"#))
    }

    @Test func aRequestOverTheBodyLimitNamesTheSetItWouldHaveMatched() throws {
        let set = try Samples.set("upload", "PUT", "https://example.com/a", body: Samples.text("x"))
        let report = try self.report("PUT", "https://example.com/a", [Samples.cassette([set])])
        #expect(report.nearest.first?.differences == ["the body differs, the tape has a body of 1 bytes"])
    }
}
