import TapedeckCassettes
import TapedeckCore
import Testing

/// An answer as a text in an editor.
@Suite struct AnswerTextTests {
    private static func json(_ text: String, _ layout: JSONLayout? = nil) -> StoredBody {
        .inline(InlineBody(form: .json, content: Array(text.utf8), layout: layout))
    }

    private static let take = Take(
        status: 200,
        headers: [HeaderField("Content-Type", "application/json"), HeaderField("Content-Length", "11")],
        body: json("{\n  \"ok\": true\n}\n", .compact),
        recorded: "2026-11-21T10:00:00Z"
    )

    private static func edited(_ take: Take, _ change: (String) -> String) throws -> Take {
        let text = String(decoding: try AnswerText.text(of: take), as: UTF8.self)
        return try AnswerText.take(take, edited: Array(change(text).utf8))
    }

    private static func wire(_ take: Take) -> String {
        guard case .inline(let body) = take.body else { return "" }
        return String(decoding: body.decoded, as: UTF8.self)
    }

    @Test func `text that is not edited stays`() throws {
        #expect(try Self.edited(Self.take) { $0 } == Self.take)
        #expect(
            try Self.edited(Self.take) { $0.replacing("\n", with: "\r\n").replacing("\r\n\r\n{", with: "\r\n\r\n{") }
                .headers == Self.take.headers
        )
        // JSON in one line is laid out for the editor alone.
        let line = Take(status: 200, body: Self.json(#"{"a":1}"#))
        #expect(try Self.edited(line) { $0 } == line)
        let image = Take(status: 200, body: .inline(InlineBody(form: .base64, content: [0xFF, 0xD8])))
        #expect(try Self.edited(image) { $0 } == image)
    }

    @Test func `an edited body keeps its form on the wire, and its length follows`() throws {
        let take = try Self.edited(Self.take) { $0.replacing("true", with: "false") }
        #expect(Self.wire(take) == #"{"ok":false}"#)
        #expect(take.headers.last?.value == "12")
        #expect(take.recorded == Self.take.recorded)
        let line = try Self.edited(Take(status: 200, body: Self.json(#"{"a":1}"#))) { $0.replacing("1", with: "2") }
        #expect(Self.wire(line) == #"{"a":2}"#)
        let text = Take(status: 200, body: .inline(InlineBody(form: .text, content: Array("a".utf8))))
        // An editor's line feed at the end of the file is not part of the body.
        #expect(Self.wire(try Self.edited(text) { $0 + "b\n" }) == "ab")
        #expect(try Self.edited(text) { $0.replacing("\na", with: "\n") }.body == .none)
    }

    @Test func `status and header fields are those of the text`() throws {
        let take = try Self.edited(Self.take) {
            $0.replacing("200 OK", with: "HTTP/1.1 404 Nowhere to be seen").replacing(
                "Content-Length: 11",
                with: "X:  y \nX: z"
            )
        }
        #expect(take.status == 404)
        #expect(take.reason == "Nowhere to be seen")
        #expect(take.headers.map(\.name) == ["Content-Type", "X", "X"])
        #expect(take.body == Self.take.body)
    }

    @Test(arguments: [
        ("", "the text is empty"),
        ("hello\n\n", "line 1: \"hello\" is no status line"),
        ("99\n\n", "line 1: \"99\" is no status line"),
        ("200 OK\na: b\n{ \"ok\": 1 }\n", "line 3: \"{ \"ok\": 1 }\" is no header field"),
    ])
    func `an invalid answer text is reported with its line`(text: String, message: String) throws {
        let error = #expect(throws: AnswerText.Invalid.self) {
            try AnswerText.take(Self.take, edited: Array(text.utf8))
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `a fault has no answer, and bytes have no text`() throws {
        #expect(throws: AnswerText.Invalid.self) { try AnswerText.text(of: Take(fault: .connectionReset)) }
        let image = Take(status: 200, body: .inline(InlineBody(form: .base64, content: [0xFF, 0xD8])))
        let error = #expect(throws: AnswerText.Invalid.self) { try Self.edited(image) { $0 + "text" } }
        #expect(error?.description.contains("is not text") == true)
    }

    @Test func `an answer of a page takes the form of the old one`() throws {
        var other = Take(
            status: 201,
            body: .inline(InlineBody(form: .text, content: Array("{\n  \"ok\": true\n}".utf8)))
        )
        var take = try AnswerText.take(Self.take, answering: other)
        #expect(take.body == Self.take.body)
        #expect(take.status == 201)
        #expect(take.recorded == Self.take.recorded)
        other.headers = [HeaderField("Date", "recorded")]
        #expect(try AnswerText.take(Self.take, answering: other).headers[0].value == "Sat, 21 Nov 2026 10:00:00 GMT")
        other.body = .inline(InlineBody(form: .text, content: Array("{ \"ok\": 2 }".utf8)))
        take = try AnswerText.take(Self.take, answering: other)
        #expect(Self.wire(take) == #"{"ok":2}"#)
    }
}
