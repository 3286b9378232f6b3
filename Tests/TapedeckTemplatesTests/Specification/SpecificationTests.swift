import TapedeckCore
import Testing

@testable import TapedeckTemplates

/// Templates render what the Mustache specification says, for the parts of it that they support.
@Suite
struct SpecificationTests {
    private func render(_ template: String, data: String) throws -> String {
        let template = try ResponseTemplate(template, escaping: .none)
        let root = TemplateValue(try JSONValue(parsing: Array(data.utf8)))
        return template.render(root, now: Instant(milliseconds: 0))
    }

    @Test(
        arguments: [
            SpecificationCase.interpolation, SpecificationCase.sections, SpecificationCase.inverted,
            SpecificationCase.comments, SpecificationCase.delimiters,
        ].joined()
    )
    func rendersTheExamplesOfTheSpecification(_ example: SpecificationCase) throws {
        #expect(try self.render(example.template, data: example.data) == example.expected)
    }

    /// The specification expects `&amp;` and similar for these.
    @Test func nothingIsEscapedAsHTML() throws {
        #expect(try self.render("{{forbidden}}", data: ##"{"forbidden": "& \" < >"}"##) == ##"& " < >"##)
        #expect(try self.render("{{.}}", data: ##""& \" < >""##) == ##"& " < >"##)
        #expect(try self.render("{{#list}}({{.}}){{/list}}", data: ##"{"list": ["&", "\""]}"##) == ##"(&)(")"##)
    }

    /// A partial that does not exist renders nothing, and takes its line with it.
    @Test func partialsRenderNothing() throws {
        #expect(try self.render(#""{{>text}}""#, data: "{}") == #""""#)
        #expect(try self.render("a\n  {{>text}}\nb\n{{>a/b}}", data: "{}") == "a\nb\n")
    }
}
