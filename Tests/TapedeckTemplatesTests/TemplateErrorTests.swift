import TapedeckTemplates
import Testing

/// Errors in a template, with their places.
@Suite
struct TemplateErrorTests {
    @Test(
        arguments: [
            ("abc {{take", 1, 5, "never closed with `}}`"), ("é\né{{#a}}x", 2, 2, "`a` is never closed; write {{/a}}"),
            ("{{/a}}", 1, 1, "none is open"), ("{{#a}}\n{{/b}}", 2, 1, "the open one is `a`"),
            ("x {{a b}}", 1, 3, "this is no tag"), ("{{}}", 1, 1, "no name"), ("{{*1}}", 1, 1, "this is no tag"),
            ("{{ name | upper }}", 1, 1, "{{=<% %>=}}"), ("{{{take}}", 1, 1, "never closed"),
            ("{{upercased(take)}}", 1, 1, "did you mean `uppercased`?"), ("{{count(take}}", 1, 1, "do not match"),
            ("{{<a}}{{/a}}", 1, 1, "not available"), ("{{$a}}{{/a}}", 1, 1, "not available"),
            ("{{%CONTENT_TYPE:HTML}}", 1, 1, "not available"), ("{{=a=}}", 1, 1, "two words"),
            ("{{#now}}{{take}}{{/now}}", 1, 1, "holds a date format"),
            ("{{#now.http}}%d{{/now.http}}", 1, 1, "{{#now}}"),
            ("{{#now}}%Q{{/now}}", 1, 1, "`%Q` means nothing"), ("{{! open", 1, 1, "never closed"),
        ] as [(String, Int, Int, String)]
    )
    func reportsTheErrorAndItsPosition(_ template: String, _ line: Int, _ column: Int, _ message: String) throws {
        let error = try #require(throws: TemplateError.self) { try ResponseTemplate(template, escaping: .none) }
        #expect(error.line == line && error.column == column)
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test func theOffsetCountsCharacters() throws {
        let error = try #require(throws: TemplateError.self) { try ResponseTemplate("é\n😀{{", escaping: .none) }
        #expect(error.offset == 3)
    }

    @Test func templatesThatWouldExhaustTheStackAreRefused() throws {
        let deep = String(repeating: "{{#json}}", count: 20_000)
        #expect(throws: TemplateError.self) { try ResponseTemplate(deep, escaping: .none) }
        let functions =
            "{{" + String(repeating: "count(", count: 30) + "take" + String(repeating: ")", count: 30) + "}}"
        #expect(throws: TemplateError.self) { try ResponseTemplate(functions, escaping: .none) }
        let name = "{{json" + String(repeating: ".a", count: 20_000) + "}}"
        #expect(throws: TemplateError.self) { try ResponseTemplate(name, escaping: .none) }
    }

    @Test func namesAreThoseThatTheTemplateReadsFromTheRequest() throws {
        let template = try ResponseTemplate(
            """
            {{url.owner}} {{uppercased(url.owner)}} {{#json.items}}{{name}} {{take}} {{.}} {{.x}} {{index()}}
            {{#tags}}{{text}}{{/tags}}{{/json.items}} {{#query.q}}{{unknown}}{{/query.q}}
            {{#now.plus-1d}}%d{{/now.plus-1d}}
            """,
            escaping: .none
        )
        #expect(template.names == ["url.owner", "json.items", "take", "query.q", "unknown", "now.plus-1d"])
    }

    @Test(
        arguments: [
            ("url.ownr", "url.owner"), ("url.host", "request.host"), ("url.2", "url.1"),
            ("request.mehod", "request.method"),
            ("quer.q", "query.q"), ("nonsense", nil), ("query", "query.NAME"), ("random.uid", "random.uuid"),
            ("now.htp", "now.http"), ("now.plus-3x", "now.plus-1d"), ("take.x", "take"),
        ] as [(String, String?)]
    )
    func unknownNamesAreReportedWithTheNearestKnownOne(_ name: String, _ suggestion: String?) {
        let problems = ResponseTemplate.problems(in: [name], captures: ["owner", "1"])
        #expect(problems.map(\.name) == [name])
        #expect(problems.first?.suggestion == suggestion)
    }

    @Test func namesThatCanHaveAValueAreNotReported() {
        let names = [
            "url", "url.owner", "url.1", "request.body", "query.a.b", "header.X-Y", "cookie.a", "form.a", "json",
            "json.a.0.b", "take", "state.a", "random.hex-4", "random.number", "now", "now.plus-3d.http", "now.date",
        ]
        #expect(ResponseTemplate.problems(in: names, captures: ["owner", "1"]).isEmpty)
    }
}
