import Foundation
import Testing

/// The rule `pii` from a recording to its replay.
@Suite(.ownThreads) struct PersonalDataRoundTripTests {
    @Test func `Personal data is not on tape, and a program gets data that passes its checks`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("redact: { on: [pii] }\n", to: "tapedeck.yaml")
        let sent = #"{"mail":"ada@corp.io","card":"4111111111111111","iban":"DE89370400440532013000"}"#
        let ask = ["--", "curl", "-sS", "--data", sent, "-H", "Content-Type: application/json", origin.url("/echo")]
        let live = try folder.tapedeck(["record", "x", "--loopback"] + ask)
        #expect(live.exitCode == 0, "\(live.errorText)")
        #expect(live.outputText.contains("ada@corp.io"))
        let text = try folder.read("cassettes/x.yaml")
        for value in ["ada@corp.io", "4111111111111111", "DE89370400440532013000"] { #expect(!text.contains(value)) }
        for shape in ["email: { shape: email }", "card-4{16}", "shape: iban-DE"] {
            #expect(text.contains(shape), "\(text)")
        }
        let replayed = try folder.tapedeck(["replay", "x"] + ask)
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        #expect(replayed.outputText.contains("@example.com"), "\(replayed.outputText)")
        #expect(!replayed.outputText.contains("ada@corp.io") && !replayed.outputText.contains("{{"))
    }
}
