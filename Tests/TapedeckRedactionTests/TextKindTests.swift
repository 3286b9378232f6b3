import Testing

@testable import TapedeckRedaction

/// Texts with fields, by their content and their media type.
@Suite struct TextKindTests {
    private static func kind(_ text: String, _ type: String?) -> TextKind {
        Array(text.utf8).withUnsafeBytes { TextKind(of: $0, type: type) }
    }

    @Test(
        arguments: [
            (#"{"a": [1, -2.5e3, true, null], "b": "c"}"#, "application/json", TextKind.json),
            (#"[{"a":1}]"#, "text/html; charset=utf-8", .json), (#"{"a":1}\#n{"a":2}"#, "text/plain", .json),
            (#"{"a": "cut o"#, nil, .json), (#")]}',\#n{"a":1}"#, "application/json", .json),
            (#"callback({"a": "b"});"#, "application/javascript", .json),
            ("data: {\"a\": 1}\n\n", "text/event-stream", .json), (#"{a: 'b', "c": 1}"#, nil, .looseJSON),
            (#"// settings\#n"#, "application/json", .json),
            (#"mutation { login(user: "a", password: "b") { token } }"#, nil, .graphQL),
            (#"query Q($id: ID!) { user(id: $id) { ...F } }"#, "application/graphql", .graphQL),
            ("a=1&b=2%20c", nil, .form), ("a=1", "application/x-www-form-urlencoded", .form),
            (#"<?xml version="1.0"?><r a="b"/>"#, "text/plain", .xml),
            ("<soap:Envelope><a/></soap:Envelope>", nil, .xml),
            ("<!DOCTYPE html><html>", "text/plain", .html), ("<!-- a --><p>b</p>", nil, .html),
            ("just text", "text/html", .html),
            // XML may have elements of these names.
            ("<form><password>x</password></form>", "application/xml", .xml), ("<title/>", "text/xml", .xml),
            ("<?xml version=\"1.0\"?><link a=\"b\"/>", nil, .xml), ("<html/>", "application/xml", .html),
            ("<?xml version=\"1.0\"?><html><p>", "text/html", .html), ("<p>a", "application/xhtml+xml", .html),
            ("A=1\nB_C=\"x y\"\n# note\nexport D=e\n", "text/plain", .assignments),
            ("[db]\nhost = localhost\npassword = x\n", nil, .assignments),
            ("user: a\npassword: b\n", nil, .assignments),
            ("HTTP/1.1 200 OK\r\nServer: x\r\nDate: y\r\n", nil, .assignments),
            ("Server=db;User Id=sa;Password=x;", nil, .assignments),
        ] as [(String, String?, TextKind)]
    )
    func `The content decides the kind of data, not its type`(text: String, type: String?, kind: TextKind) {
        #expect(Self.kind(text, type) == kind)
    }

    @Test(
        arguments: [
            ("var password=document.getElementById('password').value;", "text/plain", TextKind.code),
            ("{ let a = b; }", "text/plain", .code), ("[1,2].forEach(f);", nil, .code),
            ("body { color: red; }\na { margin: 0; }\n", nil, .code),
            ("#!/bin/sh\nPASSWORD=$1\n", "text/plain", .code), ("<?php $a = 1;", "text/html", .code),
            ("#include <stdio.h>\nint main(void)\n{\n  return 0;\n}\n", nil, .code),
            ("import os\n\ndef f(token):\n    token = os.environ['T']\n", nil, .code),
            ("# Title", "text/markdown", .code),
            ("a = 1", "text/x-python", .code),
            ("It is dark. The password: secret.\nNothing more.", "text/plain", .plain),
            ("2026-11-21 INFO started\n2026-11-21 INFO done\n", "text/plain", .plain), ("", nil, .plain),
        ] as [(String, String?, TextKind)]
    )
    func `Source code and prose have no fields`(text: String, type: String?, kind: TextKind) {
        #expect(Self.kind(text, type) == kind)
    }
}
