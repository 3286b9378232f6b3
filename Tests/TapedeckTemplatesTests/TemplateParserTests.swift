import TapedeckCore
import TapedeckTemplates
import TestShare
import Testing

/// Templates of any length are read, and tags keep to their lines.
@Suite
struct TemplateParserTests {
    @Test func longTemplatesAreWrittenInFull() throws {
        let line = #"  {"id": {{take}}, "name": "{{url.owner}}", "text": "é{ {"},"# + "\n"
        let oneLine = String(repeating: #"{"id":{{take}}},"#, count: 800)
        let text = String(repeating: line, count: 800) + oneLine
        let expected = text.replacing("{{take}}", with: "3").replacing("{{url.owner}}", with: "me")
        #expect(try TemplateRequest.render(text) == expected)
    }

    @Test func aSectionMayHoldThousandsOfTagsAndAnyText() throws {
        let many = "{{#json}}" + String(repeating: "{{take}} ", count: 4_000) + "{{/json}}"
        #expect(try TemplateRequest.render(many) == String(repeating: "3 ", count: 4_000))
        let long = "{{#json}}" + String(repeating: "é", count: 200_000) + "{{/json}}"
        #expect(try TemplateRequest.render(long).utf8.count == 400_000)
    }

    @Test(.long) func readingTakesTimeInProportionToTheNumberOfTags() throws {
        // Time in proportion to the square of the number would be a minute and more.
        let text = String(repeating: "{{#json.on}}x{{/json.on}}{{! c }}    \n    ", count: 20_000)
        #expect(try TemplateRequest.render(text).utf8.count == 200_000)
    }

    @Test(
        arguments: [
            ("x{{#json.on}}\n{{/json.on}}\n{{! c }}\ny", "x\ny"),
            ("{{#json.on}}\nx\n{{/json.on}} {{! c }}\ny", "x\n \ny"),
            ("a\n{{! c }}  ", "a\n"), ("{{! a }}{{! b }}\nx", "\nx"), (" {{take}} {{! c }}\nx", " 3 \nx"),
            ("{{! c }}\rx", "\rx"), ("\t{{=<% %>=}} \r\n<%take%>\n", "3\n"), ("{{#now}}%H{{/now}}\nx", "10\nx"),
        ] as [(String, String)]
    )
    func onlyATagAloneOnItsLineRemovesTheLine(_ template: String, _ expected: String) throws {
        #expect(try Array(TemplateRequest.render(template).utf8) == Array(expected.utf8))
    }
}
