import TapedeckCore
import Testing

@Suite("URL templates")
struct URLTemplateTests {
    private func captures(_ template: String, _ url: String) throws -> [String: String]? {
        let template = try URLTemplate(template)
        let captures = Array(url.utf8).withUnsafeBytes { template.pattern.captures($0, scratch: PatternScratch()) }
        let named = captures?.filter { template.captureNames.contains($0.key) }
        return named?.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A placeholder matches one path segment`() throws {
        let template = "https://api.x.com/users/{id}/repos"
        #expect(try self.captures(template, "https://api.x.com/users/42/repos") == ["id": "42"])
        #expect(try self.captures(template, "https://api.x.com/users/4/2/repos") == nil)
        #expect(try self.captures(template, "https://api.x.com/users//repos") == nil)
        #expect(try self.captures(template, "https://apiyx.com/users/42/repos") == nil)
        #expect(try self.captures(template, "https://api.x.com/users/42/repos/x") == nil)
    }

    @Test func `A placeholder may be a part of a segment`() throws {
        #expect(
            try self.captures("/v{version}/x-{id}.json", "/v1.2/x-a.b.json") == ["version": "1.2", "id": "a.b"]
        )
    }

    @Test func `A wide placeholder spans slashes but not the query`() throws {
        #expect(try self.captures("/files/{+path}", "/files/a/b/c.txt") == ["path": "a/b/c.txt"])
        #expect(try self.captures("/files/{+path}", "/files/a?b") == nil)
        #expect(try self.captures("/files/{+path}/end", "/files/a/b/end") == ["path": "a/b"])
    }

    @Test func `Without a question mark the query is not the template's business`() throws {
        #expect(try URLTemplate("/a/{b}").hasQuery == false)
        #expect(try URLTemplate("/a/{b}?").hasQuery == false)
        #expect(try URLTemplate("/a/{b}?c").hasQuery)
    }

    @Test func `Query parameters are sorted by name as in canonical URLs`() throws {
        let template = "/a?page={page}&b=1&a={+a}&b=0"
        #expect(try self.captures(template, "/a?a=x/y?z&b=1&b=0&page=2") == ["a": "x/y?z", "page": "2"])
        #expect(try self.captures(template, "/a?a=x&c=y&b=1&b=0&page=2") == nil)
        #expect(try URLTemplate(template).captureNames == ["a", "page"])
        #expect(try self.captures("/a?flag&x=a{b}c", "/a?flag&x=abbc") == ["b": "bb"])
    }

    @Test func `Literal text is converted to canonical form`() throws {
        #expect(
            try self.captures("HTTPS://API.X.com:443/%7eA/%c3%A9/{b}", "https://api.x.com/~A/%C3%A9/1") == ["b": "1"]
        )
        #expect(try self.captures("http://x.com:8080/{b}", "http://x.com:8080/1") == ["b": "1"])
        #expect(try self.captures("https://{Sub}.X.com", "https://a.x.com/") == ["Sub": "a"])
        #expect(try self.captures("https://{sub}.x.com:443?q={q}", "https://a.x.com/?q=1") == ["sub": "a", "q": "1"])
        #expect(try self.captures("https://{sub}:443/A", "https://a/A") == ["sub": "a"])
        #expect(try self.captures("/caf\u{e9}/{b}", "/caf%C3%A9/1") == ["b": "1"])
    }

    @Test func `Every literal character is literal and searchable`() throws {
        let marks = "/a.b*c+d(e)f[g]hij$kl!m'n,o;p=q@r:s-t_u~v"
        #expect(try self.captures(marks + "{b}", marks + "1") == ["b": "1"])
        #expect(
            try URLTemplate(marks + "{b}").pattern.literals == RequiredLiterals(prefix: Array(marks.utf8))
        )
    }

    @Test(arguments: [
        ("/a/{{b}}", 5), ("/a/{b", 4), ("/a/{}", 5), ("/a/{+}", 6), ("/a/b}", 5), ("/a/{1b}", 5), ("/a/{b-c}", 5),
        ("/a/{\u{e9}}", 5),
        ("/a/{b}/{b}", 9), ("/a/{b\u{e9}{", 7), ("/a?{b}=1", 4), ("/a?x{b}=1", 4), ("/a/{b}#c", 7),
        ("/a/{" + String(repeating: "b", count: 33) + "}", 5),
    ])
    func `A template error has its place in characters`(_ source: String, _ offset: Int) {
        let error = #expect(throws: PatternError.self) { try URLTemplate(source) }
        #expect(error?.offset == offset)
        #expect(error?.message.hasSuffix("at character \(offset)") == true)
    }

    @Test func `Names may have 32 characters`() throws {
        let name = String(repeating: "b", count: 32)
        #expect(try self.captures("/{\(name)}", "/1") == [name: "1"])
    }
}
