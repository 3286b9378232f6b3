import Testing

@testable import TapedeckCore

/// Bodies laid out for a person.
@Suite struct ReadableBodyTests {
    @Test(arguments: [
        (
            #"{"a":[1,{"b":null}]}"#, "application/json",
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}"
        ),
        ("a=1&b=x+y%26", "application/x-www-form-urlencoded", "a: 1\nb: x y&"),
        ("c=caf%E9%1B", "application/x-www-form-urlencoded", "c: caf\u{FFFD}?"),
        (
            "<?xml version='1.0'?><a x=\"1>2\"><b>t</b><c/><d></d>loose</a>", "text/xml",
            "<?xml version='1.0'?>\n<a x=\"1>2\">\n  <b>t</b>\n  <c/>\n  <d></d>\n  loose\n</a>"
        ),
        (
            "<!doctype html><html><br><script>if (a < b) {}</script><!-- <p> --><p>x <b>y</b></p></html>", "text/html",
            "<!doctype html>\n<html>\n  <br>\n  <script>if (a < b) {}</script>\n  <!-- <p> -->\n  <p>\n    x\n"
                + "    <b>y</b>\n  </p>\n</html>"
        ),
        (
            #"{"query":"query A {\n  a\n}","variables":{"id":7}}"#, "application/json",
            "query A {\n  a\n}\nvariables: {\n  \"id\": 7\n}"
        ),
        ("data: 1\n\ndata: 2\n\n", "text/event-stream", "data: 1\n\ndata: 2"),
        (
            #"{"model":"m","messages":[{"role":"system","content":"Be brief."},"#
                + #"{"role":"user","content":[{"type":"text","text":"Hi\nyou"},{"text":"t","id":1}]}]}"#,
            "application/json",
            "{\n  \"model\": \"m\"\n}\nsystem:\n  Be brief.\nuser:\n  Hi\n  you\n  {\n    \"text\": \"t\",\n    \"id\": 1\n  }"
        ),
        (
            #"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#, "application/json", "user:\n  Hi"
        ),
        (
            #"{"messages":[{"id":1}]}"#, "application/json",
            "{\n  \"messages\": [\n    {\n      \"id\": 1\n    }\n  ]\n}"
        ),
        (
            #"data: {"choices":[{"delta":{"content":"Hel"}}]}"# + "\n\n"
                + #"data: {"choices":[{"delta":{"content":"lo"}}]}"#
                + "\n\ndata: [DONE]\n\n",
            "text/event-stream",
            #"data: {"choices":[{"delta":{"content":"Hel"}}]}"# + "\n\n"
                + #"data: {"choices":[{"delta":{"content":"lo"}}]}"#
                + "\n\ndata: [DONE]\n\nthe text of the pieces:\n  Hello"
        ),
        ("<no tags", "text/plain", "<no tags"),
        ("", "text/plain", ""), ("</a></b><", "text/xml", "</a>\n</b>\n<"),
        ("a\tb\u{1B}[31m", "text/plain", "a    b?[31m"),
    ])
    func `text is laid out by its kind`(body: String, type: String, lines: String) {
        #expect(ReadableBody.lines(of: Array(body.utf8), mediaType: type).joined(separator: "\n") == lines)
    }

    @Test func `bytes are counted`() {
        #expect(ReadableBody.lines(of: [0xFF, 0], mediaType: "image/png; x=1") == ["(2 bytes of image/png)"])
        #expect(ReadableBody.lines(of: [0xFF], mediaType: nil) == ["(1 byte)"])
    }
}
