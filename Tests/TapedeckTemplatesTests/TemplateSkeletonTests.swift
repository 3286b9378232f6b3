import Mustache
import TapedeckCore
import TapedeckTemplates
import Testing

/// The library gets a template in pieces and with other texts in it; nobody may notice.
@Suite
struct TemplateSkeletonTests {
    private static let pieces = [
        " ", "  ", "\t", "\n", "\n", "\r\n", "x", "a: {\"b\": [", "é", "}}", "{{json.a}}", "{{{json.a}}}",
        "{{& json.b }}",
        "{{! note }}", "{{>none}}", "{{missing}}", String(repeating: "long text ", count: 10), "\n\n  ", "{ ", "{{.}}",
    ]
    private static let sections = ["json.list", "json.a", "json.missing", "json.list"]

    /// A template of random pieces, with sections in it.
    private func template(_ random: inout some RandomNumberGenerator, length: Int, depth: Int = 0) -> String {
        (0..<length).map { _ in
            guard depth < 3, Int.random(in: 0..<5, using: &random) == 0 else {
                return Self.pieces.randomElement(using: &random) ?? ""
            }
            let name = Self.sections.randomElement(using: &random) ?? ""
            let sign = Bool.random(using: &random) ? "#" : "^"
            let length = Int.random(in: 0..<6, using: &random)
            return "{{\(sign)\(name)}}" + self.template(&random, length: length, depth: depth + 1) + "{{/\(name)}}"
        }.joined()
    }

    @Test func writesWhatTheLibraryItselfWouldWrite() throws {
        var random = SeededRandom(seed: 7)
        let values = try TemplateRequest.values(json: #"{"a": "A<&>", "b": "{{json.a}}", "list": ["1", "2"]}"#)
        // The root of a template is nothing, where the library would describe the dictionary.
        struct Root: MustacheParent, MustacheCustomRenderable {
            var renderText: String { "" }
            var isNull: Bool { false }
            func child(named name: String) -> Any? {
                name == "json" ? ["a": "A<&>", "b": "{{json.a}}", "list": ["1", "2"]] as [String: Any] : nil
            }
        }
        for round in 0..<200 {
            let text = self.template(&random, length: round % 20 == 0 ? 300 : 12) + "\n"
            let expected = try MustacheTemplate(string: "{{%CONTENT_TYPE:TEXT}}\n" + text).render(Root())
            let rendered = try ResponseTemplate(text, escaping: .none).render(values)
            #expect(Array(rendered.utf8) == Array(expected.utf8), "\(text.debugDescription)")
        }
    }

    @Test func longTemplatesAreWrittenInFull() throws {
        let line = #"  {"id": {{take}}, "name": "{{url.owner}}", "text": "é{ {"},"# + "\n"
        let oneLine = String(repeating: #"{"id":{{take}}},"#, count: 800)
        let text = String(repeating: line, count: 800) + oneLine
        let expected = text.replacing("{{take}}", with: "3").replacing("{{url.owner}}", with: "me")
        #expect(try TemplateRequest.render(text) == expected)
    }

    @Test func aSectionBeyondAllMeasureIsRefused() throws {
        let text = "{{#json}}" + String(repeating: "{{take}} ", count: 4_000) + "{{/json}}"
        let error = try #require(throws: TemplateError.self) { try ResponseTemplate(text, escaping: .none) }
        #expect(error.message.contains("too many tags"))
        let long = "{{#json}}" + String(repeating: "é", count: 200_000) + "{{/json}}"
        #expect(try TemplateRequest.render(long).utf8.count == 400_000)
    }
}
