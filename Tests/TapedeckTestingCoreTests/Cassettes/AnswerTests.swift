import Foundation
import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckTestingCore

@Suite("Answers")
struct AnswerTests {
    @Test("mean the same as in a file", arguments: AnswerSamples.all.indices)
    func samples(_ index: Int) throws {
        let (answer, lines) = AnswerSamples.all[index]
        // A mapping in braces becomes the lines of the variant.
        let braces = lines.hasPrefix("{ ") && !lines.contains("\n")
        let byHand: TapedeckCore.ResponseSet
        if braces {
            let set = try Reading.cassette(
                """
                tapedeck: 1
                responseSets:
                  - { name: a, request: { url: /, otherQuery: allowed }, variants: [{ name: b, \(lines.dropFirst(2))] }
                """
            )
            byHand = set.responseSets[0]
        } else {
            byHand = try Reading.set(variant: lines)
        }
        let built = ResponseSet("a", .any("/")) { Variant("b", answer) }
        #expect(try Reading.cassette(Cassette { built }.yaml).responseSets == [byHand])
        #expect(try Reading.set(built.json) == byHand)
    }

    @Test("convert to a take only if they are a single plain one")
    func takes() {
        #expect(Tapedeck.Answer.status(503).takeShape?.text == #"{"status":503}"#)
        #expect(Tapedeck.Answer.fault(.hang).takeShape?.text == #"{"fault":"hang"}"#)
        #expect(
            Tapedeck.Answer.urlError(.notConnectedToInternet).takeShape?.text
                == #"{"fault":"connectionReset","urlError":"notConnectedToInternet"}"#
        )
        #expect(Tapedeck.Answer.urlError(.timedOut).takeShape?.text == #"{"fault":"timeout","urlError":"timedOut"}"#)
        #expect(
            Tapedeck.Answer.text("a").header("b", "c").takeShape?.text
                == #"{"status":200,"headers":[{"content-type":"text/plain; charset=utf-8"},{"b":"c"}],"body":{"text":"a"}}"#
        )
        #expect(Tapedeck.Answer.status(200).delayed(.seconds(1)).takeShape?.text == nil)
        #expect(Tapedeck.Answer.sequence([.status(200)]).takeShape?.text == nil)
        #expect(Tapedeck.Answer.variant("offline").takeShape?.text == nil)
        #expect(Tapedeck.Answer.passthrough.takeShape?.text == nil)
        #expect(Tapedeck.Answer.status(200).json(variantName: "a") == #"{"name":"a","takes":[{"status":200}]}"#)
    }

    @Test(
        "that answer a number of requests are allowed only in a sequence",
        arguments: [.status(200).times(2), .random([(1, .status(200).times(2))])] as [Tapedeck.Answer]
    )
    func times(_ answer: Tapedeck.Answer) throws {
        let set = ResponseSet("a", .any) { Variant("b", answer) }
        let result = CassetteReader.read(Array(Cassette { set }.yaml.utf8), name: "test", path: "test.yaml")
        #expect(result.diagnostics.contains { $0.severity == .error && $0.message.contains("has no key `times`") })
    }

    @Test("have every fault of the format, and know which ones have a response")
    func faults() {
        #expect(Set(Tapedeck.Fault.allCases.map(\.rawValue)) == Set(TapedeckCore.Fault.allCases.map(\.rawValue)))
        for fault in Tapedeck.Fault.allCases {
            #expect(TapedeckCore.Fault(rawValue: fault.rawValue)?.hasResponse == fault.hasResponse)
        }
        #expect(Set(Tapedeck.Answer.Fuzz.allCases.map(\.rawValue)) == Set(JSONFuzz.allCases.map(\.rawValue)))
        #expect(Set(Cassette.Part.allCases.map(\.rawValue)) == Set(MatchingRules.Part.allCases.map(\.rawValue)))
    }

    @Test("with a fault keep it for the client, whatever their content", arguments: Tapedeck.Fault.allCases)
    func faultsShow(_ fault: Tapedeck.Fault) throws {
        let responses: [Tapedeck.Answer] = [
            .json(["a": [1, 2]]), .text("abc"), .data(Data([0, 255])), .urlError(.timedOut),
        ]
        for answer in [.fault(fault)] + responses.map({ $0.fault(fault) }) {
            // The deck would warn of an invisible fault.
            let read = try Reading.cassette(Cassette { ResponseSet("a", .any) { Variant("b", answer) } }.yaml)
            let take = try #require(read.responseSets[0].variants[0].takes.first)
            #expect(take.fault?.rawValue == fault.rawValue)
            #expect(take.isFaultAlone == !fault.hasResponse)
        }
    }

    @Test("with a fault can set its code, and the part of the body before it")
    func faultDetails() throws {
        let cases: [(Tapedeck.Answer, TapedeckCore.FaultOptions)] = [
            (.fault(.streamReset, code: "REFUSED_STREAM"), FaultOptions(code: .refusedStream)),
            (.fault(.goAwayRefused, code: "99"), FaultOptions(code: HTTP2ErrorCode(rawValue: 99))),
            (.text("abc").fault(.resetDuringBody, after: .bytes(2)), FaultOptions(after: .bytes(2))),
            (
                .text("abc").fault(.truncatedBody, code: "CANCEL", after: .messages(1)),
                FaultOptions(code: .cancel, after: .messages(1))
            ),
        ]
        for (answer, options) in cases {
            let read = try Reading.cassette(Cassette { ResponseSet("a", .any) { Variant("b", answer) } }.yaml)
            #expect(read.responseSets[0].variants[0].takes.first?.faultOptions == options)
        }
    }

    @Test("take an Encodable value, sorted by name")
    func encodable() throws {
        struct User: Encodable {
            var name = "Ada"
            var age = 36
            var site = "https://a.test/"
        }
        #expect(
            try Tapedeck.Answer.json(encoding: User()) == .json(["age": 36, "name": "Ada", "site": "https://a.test/"])
        )
        #expect(throws: EncodingError.self) { try Tapedeck.Answer.json(encoding: [Double.nan]) }
    }

    @Test("take the content of a file beside the test, with its type")
    func files() throws {
        let answer = try Tapedeck.Answer.file("AnswerTests.swift")
        let text = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(answer == .data(Data(text.utf8)))
        let absolute = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        try Data("[]".utf8).write(to: absolute)
        defer { try? FileManager.default.removeItem(at: absolute) }
        let json = try Tapedeck.Answer.file(absolute.path, status: 201)
        #expect(json == .data(Data("[]".utf8), status: 201, contentType: "application/json"))
        #expect(throws: (any Error).self) { try Tapedeck.Answer.file("gone.json") }
    }
}
