import TapedeckCore
import Testing

@Suite
struct MultipartBodyTests {
    private func parse(_ body: String, _ type: String = "multipart/form-data; boundary=XX") -> MultipartBody? {
        // Line breaks in the samples are those of HTTP, unless noted otherwise.
        let text = body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        return Array(text.utf8).withUnsafeBytes { MultipartBody($0, contentType: type) }
    }

    private func content(_ part: MultipartBody.Part) -> String {
        String(decoding: part.content, as: UTF8.self)
    }

    @Test func readsFieldsAndFiles() throws {
        let body = """
            --XX
            Content-Disposition: form-data; name="title"

            Hello
            --XX
            content-disposition: form-data; filename="a b.png"; name=file
            Content-Type:  image/png \t
            X-Other: 1

            line one

            --XX-not
            --XX
            Content-Disposition: form-data; name="empty"


            --XX--

            """
        let parts = try #require(self.parse(body)).parts
        #expect(parts.map(\.name) == ["title", "file", "empty"])
        #expect(parts.map(\.filename) == [nil, "a b.png", nil])
        #expect(parts.map(\.contentType) == [nil, "image/png", nil])
        #expect(parts.map(self.content) == ["Hello", "line one\r\n\r\n--XX-not", ""])
        #expect(parts[1].headers.map(\.name) == ["content-disposition", "Content-Type", "X-Other"])
        #expect(parts[1].headers.map(\.value).last == "1")
    }

    @Test func keepsBytesAsTheyAre() throws {
        let content = (0...255).map { UInt8($0) } + [13, 10, 45, 45, 88, 13, 10, 13, 10]
        let body =
            Array("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + content + Array("\r\n--XX--".utf8)
        let found = body.withUnsafeBytes { MultipartBody($0, contentType: "multipart/form-data; boundary=XX") }
        #expect(found?.parts.map(\.content) == [content])
    }

    @Test(arguments: [
        (#"multipart/form-data; boundary="a b:c""#, "a b:c"),
        ("Multipart/Form-Data;charset=utf-8 ; Boundary=a'b", "a'b"),
        (
            "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW;",
            "----WebKitFormBoundary7MA4YWxkTrZu0gW"
        ),
        ("multipart/mixed; boundary=x", "x"),
    ])
    func findsTheBoundary(_ type: String, _ boundary: String) throws {
        let parts = try #require(
            self.parse("--\(boundary)\nContent-Disposition: form-data; name=n\n\nv\n--\(boundary)--", type)
        ).parts
        #expect(parts.map(\.name) == ["n"])
        #expect(parts.map(self.content) == ["v"])
    }

    @Test(arguments: [
        "text/plain; boundary=XX", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"XX",
        "multipart/form-data; boundary=" + String(repeating: "X", count: 71), "", "multipart/form-data; boundary=YY",
        "multipart/form-data; boundary=\"XX\"x",
    ])
    func refusesATypeWithoutItsBoundary(_ type: String) {
        #expect(self.parse("--XX\n\nv\n--XX--", type) == nil)
        #expect(self.parse("--XX\n\nv\n--XX--") != nil)
    }

    @Test(arguments: [
        "", "--XX", "--XX\n", "--XX\n\nv", "--XX\n\nv\n--XX\n", "--XX\n\nv\n--XX-", "--XX\nno colon\n\nv\n--XX--",
        "--XX\nA: 1\n folded\n\nv\n--XX--", "--XX\nA : 1\n\nv\n--XX--", "--XX\n: 1\n\nv\n--XX--", "--XX\nA: 1\n--XX--",
        "--XX\nContent-Disposition: form-data; name=\"a\n\nv\n--XX--", "--XX\n\nv--XX--", "--XXv\n\nv\n--XXv--",
        "--XX\nA: 1\u{B}\r\rB: 2\n\nv\n--XX--",
    ])
    func rejectsMalformedBodies(_ body: String) {
        #expect(self.parse(body) == nil)
    }

    @Test func refusesLinesThatEndInALineFeedAlone() {
        let body = Array("--XX\nA: 1\n\nv\n--XX--".utf8)
        #expect(body.withUnsafeBytes { MultipartBody($0, contentType: "multipart/form-data; boundary=XX") } == nil)
    }

    /// For the search for secrets, which must not miss one because a client writes otherwise than it should.
    @Test(arguments: [
        ("--XX\nName: a\n\none\n--XX\nName: b\n\ntwo\n--XX--\n", ["a": "one", "b": "two"]),
        ("--XX\r\nName: a\r\n\r\none\r\n--XX\r\nName: b\r\n\r\ncut o", ["a": "one", "b": "cut o"]),
        ("--XX\r\nName: a\r\n--XX\r\nno colon\r\nName: b\r\n\r\n\r\n--XX--", ["a": "", "b": ""]),
        ("in front\n--XX \t\nName: a\n\n--XX-not\n--XX--", ["a": "--XX-not"]),
    ])
    func readsMalformedBodiesLeniently(_ body: String, _ contents: [String: String]) throws {
        let bytes = Array(body.utf8)
        let read = bytes.withUnsafeBytes { MultipartParser.parts(of: $0, boundary: "XX", isLenient: true) }
        let parts = try #require(read)
        let found = parts.map { ($0.value("name") ?? "", String(decoding: bytes[$0.content], as: UTF8.self)) }
        #expect(Dictionary(found) { first, _ in first } == contents)
        #expect(parts.count == contents.count)
    }

    @Test func ignoresPreambleAndEpilogue() throws {
        let parts = try #require(self.parse("preamble --XX\n--XX \t\n\nv\n--XX--  \nepilogue\n--XX\n\nw\n--XX--")).parts
        #expect(parts.map(self.content) == ["v"])
        #expect(self.parse("--XX--")?.parts.count == 0)
    }

    @Test(arguments: [
        (#"name="a\"b\\c""#, #"a"b\c"#), (#"name="C:\dir\x""#, #"C:\dir\x"#), ("name=\"%22%0d%0A%41%\"", "\"\r\n%41%"),
        ("name=\"é\"", "é"), ("name*=UTF-8''%C3%A9%20x", "é x"), ("name=a; name*=UTF-8''b", "b"), ("NAME=a;", "a"),
        ("name=\"\"", ""), ("name=\"a;b=c\"", "a;b=c"),
    ])
    func readsNamesAsClientsWriteThem(_ parameter: String, _ name: String) throws {
        let body = "--XX\nContent-Disposition: form-data; \(parameter)\n\nv\n--XX--"
        #expect(try #require(self.parse(body)).parts.map(\.name) == [name])
        let file = body.replacing("name", with: "filename").replacing("NAME", with: "filename")
        #expect(try #require(self.parse(file)).parts.map(\.filename) == [name])
    }

    @Test func rejectsMoreThanAThousandParts() {
        let part = "--XX\nContent-Disposition: form-data; name=a\n\nv\n"
        #expect(self.parse(String(repeating: part, count: 1_000) + "--XX--")?.parts.count == 1_000)
        #expect(self.parse(String(repeating: part, count: 1_001) + "--XX--") == nil)
        #expect(self.parse("--XX\n" + String(repeating: "A: 1\n", count: 101) + "\nv\n--XX--") == nil)
    }
}
