import TapedeckCore
import TapedeckTemplates
import Testing

/// The output of a template for a request.
@Suite
struct ResponseTemplateTests {
    @Test(
        arguments: [
            ("{{url}}", "https://api.example.com/repos/me/it?q=a%20b"), ("{{url.owner}} {{url.1}}", "me me"),
            ("{{request.method}} {{request.path}}", "POST /repos/me/it"),
            ("{{request.scheme}}://{{request.host}}:{{request.port}}", "https://api.example.com:443"),
            ("{{request.query}} {{request.body}}", "q=a%20b raw body"), ("{{query.q}}", "a b"),
            ("{{query.filter.name}}", "dotted"), ("{{header.x-request-ID}}", "r-1"),
            ("{{cookie.theme}} {{cookie.more}}", "dark 1=2"), ("{{form.name}}", "Bob"), ("{{take}}", "3"),
            ("{{state.cart}}", "full"), ("{{json.user.id}} {{json.user.tags.1}}", "7 y"),
            ("{{json.items.1.price}} {{json.on}}", "2e3 true"), ("{{json.items.0}}", #"{"name":"one","price":1.50}"#),
            ("{{{json.user.tags}}}", #"["x","y"]"#),
        ] as [(String, String)]
    )
    func writesThePartsOfTheRequest(_ template: String, _ expected: String) throws {
        #expect(try TemplateRequest.render(template) == expected)
    }

    @Test(arguments: [
        "{{nothing}}", "{{url.nothing}}", "{{query.nothing}}", "{{json.user.nothing.at.all}}", "{{json.items.9}}",
        "{{json.items.-1}}", "{{json.none}}", "{{state.x}}", "{{.}}", "{{request}}", "{{query}}", "{{>partial}}",
        "{{random.nonsense}}", "{{now.nonsense}}", "{{url.owner._guts}}", "{{query.filter}}", "{{take.description}}",
    ])
    func missingValuesRenderEmpty(_ template: String) throws {
        #expect(try TemplateRequest.render("[\(template)]") == "[]")
    }

    @Test(
        arguments: [
            ("{{#json.items}}{{name}}={{price}};{{/json.items}}", "one=1.50;two=2e3;"),
            ("{{#json.user.tags}}{{.}}{{^last()}},{{/last()}}{{/json.user.tags}}", "x,y"),
            ("{{#json.user}}{{id}} {{take}}{{/json.user}}", "7 3"), ("{{#query.q}}<{{.}}>{{/query.q}}", "<a b><c>"),
            ("{{#form.name}}{{index()}}{{.}} {{/form.name}}", "0Bob 1Eve "), ("{{#json.on}}yes{{/json.on}}", "yes"),
            ("{{#json.off}}yes{{/json.off}}{{^json.off}}no{{/json.off}}", "no"),
            ("{{#json.none}}yes{{/json.none}}{{^json.none}}no{{/json.none}}", "no"),
            ("{{#json.empty}}yes{{/json.empty}}{{^json.empty}}no{{/json.empty}}", "no"),
            ("{{^query.page}}first page{{/query.page}}", "first page"),
            ("{{count(query.q)}} {{count(json.items)}} {{last(query.q)}}", "2 2 c"),
            ("{{uppercased(url.owner)}} {{uppercased(query.q)}} {{plusone(take)}}", "ME A B 4"),
            ("{{#even(take)}}even{{/even(take)}}{{#odd(take)}}odd{{/odd(take)}}", "odd"),
            ("a{{! {\"no\": 1} }}b", "ab"), ("{{=<% %>=}}{{take}} <%take%> <%={{ }}=%>{{take}}", "{{take}} 3 3"),
            ("{{ take }}{{\ntake\n}}{{& take }}", "333"),
        ] as [(String, String)]
    )
    func sectionsAndFunctionsWorkAsInMustache(_ template: String, _ expected: String) throws {
        #expect(try TemplateRequest.render(template) == expected)
    }

    @Test func aTagAloneOnItsLineRemovesTheLine() throws {
        let template =
            "[\n  {{#json.items}}\n  \"{{name}}\"\n  {{/json.items}}\n  {{! done }}\n]\r\n{{^take}}\r\n{{/take}}\r\n"
        #expect(try TemplateRequest.render(template) == "[\n  \"one\"\n  \"two\"\n]\r\n")
    }

    @Test(
        arguments: [
            ("{{url.owner}}{", "me{"), ("{{take}}\u{301}", "3\u{301}"), ("é{{take}}é", "é3é"), ("", ""), ("{", "{"),
            ("{\"a\":{\"b\":{{take}}}}", "{\"a\":{\"b\":3}}"), ("\r", "\r"), ("{ {x} }\n{", "{ {x} }\n{"),
            ("{ {{take}}}", "{ 3}"), ("a\u{2028}{{take}}\u{85}\u{0B}", "a\u{2028}3\u{85}\u{0B}"),
        ] as [(String, String)]
    )
    func textAroundTagsStaysAsItIs(_ template: String, _ expected: String) throws {
        #expect(try Array(TemplateRequest.render(template).utf8) == Array(expected.utf8))
    }

    @Test func valuesAreNeverReadAsTemplates() throws {
        #expect(try TemplateRequest.render("{{json.trick}}{{{json.trick}}}") == "{{take}}{{take}}")
        #expect(try TemplateRequest.render("{{query.evil}}").hasPrefix("{{{take}}}"))
        #expect(try TemplateRequest.render("{{#json.trick}}{{.}}{{/json.trick}}") == "{{take}}")
        #expect(try TemplateRequest.render("{{>*json.trick}}").isEmpty)
    }

    @Test(
        arguments: [
            ("{{capitalized(json.text)}}", "O'neil Foo-Bar 1St"), ("{{lowercased(json.text)}}", "o'neil foo-bar 1st"),
            ("{{reversed(json.text)}}", "TS1 rab-OOF lien'o"), ("{{empty(json.text)}} {{empty(json.none)}}", "false "),
            ("{{reversed(json.list)}} {{first(reversed(json.list))}}", "[2,1] 2"),
            ("{{uppercased(url)}}", "HTTPS://API.EXAMPLE.COM/REPOS/ME/IT?Q=A%20B"),
            ("{{equalzero(minusone(minusone(minusone(take))))}}", "true"), ("{{count(json.text)}}{{plusone(url)}}", ""),
            (
                "{{#json.list}}{{#first()}}a{{/first()}}{{#even()}}b{{/even()}}{{#odd()}}c{{/odd()}}{{/json.list}}",
                "abc"
            ),
            ("{{index()}}{{#json.list}}{{#json}}{{index()}}{{/json}}{{index()}}{{/json.list}}", "01"),
            ("{{#json.list}}{{#json.none}}x{{/json.none}}{{^json.none}}{{index()}}{{/json.none}}{{/json.list}}", "01"),
            (
                "{{reversed(query.q)}} {{count(reversed(query.q))}} {{#reversed(query.q)}}{{.}}{{/reversed(query.q)}}",
                "c 2 ca b"
            ),
        ] as [(String, String)]
    )
    func functionsReturnAValueOrRenderEmpty(_ template: String, _ expected: String) throws {
        let json = #"{"text": "o'neil FOO-bar 1ST", "list": [1, 2], "none": null}"#
        #expect(try TemplateRequest.render(template, json: json) == expected)
    }

    @Test func jsonBodiesGetEscapedTexts() throws {
        let body =
            #"{"name": "{{json.user.name}}", "id": {{json.user.id}}, "user": {{{json.user}}}, "e": "{{query.evil}}"}"#
        let rendered = try TemplateRequest.render(body, escaping: .json)
        let json = try JSONValue(parsing: Array(rendered.utf8))
        #expect(json["name"] == .string("Ann \"A\" <a&b>"))
        #expect(json["id"]?.text() == Array("7".utf8))
        #expect(json["user"] == (try TemplateRequest.values().json)?["user"])
        #expect(json["e"] == .string("{{{take}}}\r\nSet-Cookie: x=1"))
    }

    @Test(
        arguments: [
            ("{{json.none}}", "null"), ("{{{json.a.0}}}", "null"), ("{{#json.a}}{{.}},{{/json.a}}", "null,1,"),
            ("{{#json.o}}{{n}}{{/json.o}}", "null"), ("{{first(json.a)}} {{last(reversed(json.a))}}", "null null"),
            ("{{json.a}}", "[null,1]"), ("{{json.nothing}}{{json.a.2}}{{query.nothing}}", ""),
            ("{{#json.none}}yes{{/json.none}}{{^json.none}}no{{/json.none}}", "no"),
            // A default replaces what is not there, and not what is empty.
            ("{{#missing(json.none)}}[]{{/missing(json.none)}}{{{json.none}}}", "null"),
            ("{{#missing(json.a)}}[]{{/missing(json.a)}}{{{json.a}}}", "[null,1]"),
            ("{{#missing(json.b)}}[]{{/missing(json.b)}}{{{json.b}}}", "[]"),
            ("{{missing(query.q)}} {{missing(query.r)}} {{missing(header.r)}}", "false true true"),
        ] as [(String, String)]
    )
    func aNullIsWrittenIntoAJSONBody(_ template: String, _ expected: String) throws {
        let json = #"{"none": null, "a": [null, 1], "o": {"n": null}}"#
        #expect(try TemplateRequest.render(template, escaping: .json, json: json) == expected)
    }

    @Test func aSectionOverALongQueryLooksEachNameUpAtOnce() throws {
        var values = try TemplateRequest.values()
        values.query = (0..<50_000).map { ("id", String($0)) } + [("x.y", "z")]
        let text = "{{#query.id}}{{query.x.y}}{{query.none}}{{/query.id}}"
        // Time in proportion to the square of the length would be a minute and more.
        let rendered = try ResponseTemplate(text, escaping: .none).render(values)
        #expect(rendered.utf8.count == 50_000)
    }

    @Test func aNameMayBeAPrefixOfAnother() throws {
        var values = try TemplateRequest.values()
        values.query = [("a.b.c", "1"), ("a", "2"), ("a.b.c", "3")]
        values.headers = [HeaderField("X.Y", "4")]
        let template = "{{query.a}}{{query.a.b}}{{query.a.b.c}}{{count(query.a.b.c)}}{{header.x.y}}{{query.a.}}"
        #expect(try ResponseTemplate(template, escaping: .none).render(values) == "21242")
    }

    @Test func everyTextIsEscapedSoThatJSONReadsItBack() throws {
        let template = try ResponseTemplate(#"["{{request.body}}"]"#, escaping: .json)
        var values = try TemplateRequest.values()
        values.body = String(String.UnicodeScalarView((0...0x2FFF).compactMap(Unicode.Scalar.init))) + "😀\u{10FF00}"
        let json = try JSONValue(parsing: Array(template.render(values).utf8))
        #expect(json == .array([.string(values.body ?? "")]))
    }

    @Test func aByteThatIsNotUTF8DoesNotSpoilAJSONBody() throws {
        var values = try TemplateRequest.values()
        values.body = ByteText.string(from: [0x61, 0xFF] as [UInt8])
        #expect(try ResponseTemplate("{{request.body}}", escaping: .json).render(values) == "a\u{FFFD}")
        let plain = try ResponseTemplate("{{request.body}}", escaping: .none).render(values)
        #expect(ByteText.bytes(of: plain) == [0x61, 0xFF])
    }

    @Test func aRequestCannotAddHeaderFieldsToItsAnswer() throws {
        let rendered = try TemplateRequest.render("{{query.evil}} {{{query.evil}}}", escaping: .header)
        #expect(rendered == "{{{take}}}  Set-Cookie: x=1 {{{take}}}  Set-Cookie: x=1")
    }

    @Test func nothingIsEscapedAsHTML() throws {
        for escaping in [ResponseTemplate.Escaping.none, .header, .json] {
            let text = "{{#json.user}}{{#tags}}{{json.user.name}}{{/tags}}{{/json.user}}{{>p}}{{json.user.name}}"
            let rendered = try TemplateRequest.render(text, escaping: escaping)
            #expect(rendered.contains("<a&b>") && !rendered.contains("&lt;") && !rendered.contains("&quot;"))
        }
    }

    @Test(
        arguments: [
            ("{{now}}", "2026-11-21T10:09:08Z"), ("{{now.rfc3339-millis}}", "2026-11-21T10:09:08.007Z"),
            ("{{now.http}}", "Sat, 21 Nov 2026 10:09:08 GMT"),
            ("{{now.epoch}} {{now.millis}}", "1795255748 1795255748007"),
            ("{{now.date}}", "2026-11-21"), ("{{now.plus-3d}}", "2026-11-24T10:09:08Z"),
            ("{{now.minus-90m.http}}", "Sat, 21 Nov 2026 08:39:08 GMT"),
            ("{{now.plus-1d.minus-1h.date}}", "2026-11-22"), ("{{now.plus-99999999w.epoch}}", "60481794650948"),
            ("{{#now}}%d.%m.%Y{{/now}}", "21.11.2026"), ("{{#now.plus-1d}}%A {%j}{{/now.plus-1d}}", "Sunday {326}"),
            ("{{#json.user}}{{#now}}%H{{/now}}{{/json.user}}", "10"),
        ] as [(String, String)]
    )
    func datesAreThoseOfTheMoment(_ template: String, _ expected: String) throws {
        #expect(try TemplateRequest.render(template) == expected)
    }
}
