import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// Live text that looks like a placeholder: escaped on tape, and the same again when it is played.
@Suite struct PlaceholderEscapeTests {
    @Test(arguments: [
        ("{{secret.x}}", "{{'secret.x}}"),
        ("{{'secret.x}}", "{{''secret.x}}"),
        ("{{''secret.", "{{'''secret."),
        ("{{{secret.x}}}", "{{{'secret.x}}}"),
        (#"{"a":"{{secret.b:json}}{{secret.b"}"#, #"{"a":"{{'secret.b:json}}{{'secret.b"}"#),
        ("{secret.x} {{secrets}} {{'x}} {{ secret.x }}", "{secret.x} {{secrets}} {{'x}} {{ secret.x }}"),
        ("{{", "{{"), ("{{'", "{{'"), ("{{secret", "{{secret"), ("", ""),
    ])
    func `One apostrophe more on tape than live`(live: String, tape: String) {
        #expect(PlaceholderEscape.escaped(live) == tape)
        #expect(PlaceholderEscape.unescaped(tape) == live)
        #expect(SecretValues.none.restored(tape) == live)
    }

    /// Bytes of any kind with pieces of our syntax among them: recorded, then played.
    @Test(arguments: seeds(200))
    func `Any bytes are restored`(seed: UInt64) throws {
        var random = StableBytes("\(seed)", "escape")
        let pieces = [
            "{{secret.a}}", "{{'secret.a}}", "{{''secret.", "{{", "'", "secret.", "{", "}}", "{{secret.a#1}}",
        ]
        var body: [UInt8] = []
        for _ in 0..<(seed % 40) {
            switch random.next() % 3 {
            case 0: body += random.bytes(Int(random.next() % 8))
            default: body += pieces[Int(random.next() % UInt64(pieces.count))].utf8
            }
        }
        var live = exchange()
        live.response.body = .bytes(body)
        live.response.pieces = [RecordedPiece(size: body.count / 2, time: 0), RecordedPiece(size: body.count, time: 1)]
        live.response.pieces[1].size -= body.count / 2
        let taped = try redactor().redact(live, isLive: true)
        #expect(taped.response.pieces.reduce(0) { $0 + $1.size } == taped.response.body.bytes.count)
        var marks = [taped.response.pieces.first?.size ?? 0]
        #expect(SecretValues.none.restored(taped.response.body.bytes, marks: &marks) == body)
        if body.count > 1 { #expect(marks == [body.count / 2]) }
    }

    @Test func `A secret beside escaped text is a placeholder, and the text is not`() throws {
        let live = #"{"password":"hunter2hunter2","hint":"{{secret.password}}"}"#
        let taped = try redactor().redact(exchange(responseBody: live), isLive: true).response.body.text
        #expect(taped == #"{"password":"{{secret.password#1}}","hint":"{{'secret.password}}"}"#)
    }

    @Test func `Headers, URL and coded bodies are escaped too, with all rules off`() throws {
        var settings = RedactionSettings()
        settings.off = RedactionRules.builtInIDs
        let live = exchange(
            url: "https://api.example.com/?q={{secret.x}}",
            headers: [HeaderField("X-Template", "{{secret.x}}")],
            responseBody: "{{secret.x}}"
        )
        let taped = try redactor(settings).redact(live, isLive: true)
        #expect(taped.url == "https://api.example.com/?q={{'secret.x}}")
        #expect(taped.requestHeaders.map(\.value) == ["{{'secret.x}}"])
        #expect(taped.response.body.text == "{{'secret.x}}")
    }
}
