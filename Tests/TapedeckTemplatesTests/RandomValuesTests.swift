import TapedeckTemplates
import Testing

@Suite
struct RandomValuesTests {
    private func render(_ text: String, seed: UInt64) throws -> String {
        var values = try TemplateRequest.values()
        values.seed = seed
        return try ResponseTemplate(text, escaping: .none).render(values)
    }

    @Test func theSameSeedGivesTheSameValuesAndAnotherSeedOthers() throws {
        let text = "{{random.uuid}} {{random.number}} {{random.text-8}} {{random.hex-8}}"
        #expect(try self.render(text, seed: 1) == self.render(text, seed: 1))
        #expect(try self.render(text, seed: 1) != self.render(text, seed: 2))
    }

    @Test func eachTagHasAValueOfItsOwn() throws {
        let values = try self.render("{{random.uuid}} {{random.uuid}} {{random.uuid}}", seed: 5).split(separator: " ")
        #expect(values.count == 3 && Set(values).count == 3)
    }

    @Test func valuesHaveTheFormatOfTheirName() throws {
        for seed in 0..<200 as Range<UInt64> {
            let text = "{{random.uuid}} {{random.number-10-20}} {{random.text-8}} {{random.hex-9}} {{random.number}}"
            let parts = try self.render(text, seed: seed).split(separator: " ").map(String.init)
            try #require(parts.count == 5)
            let uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
            #expect(parts[0].wholeMatch(of: uuid) != nil)
            #expect((10...20).contains(try #require(Int(parts[1]))))
            #expect(parts[2].wholeMatch(of: /[a-z0-9]{8}/) != nil)
            #expect(parts[3].wholeMatch(of: /[0-9a-f]{9}/) != nil)
            #expect((0..<1_000_000).contains(try #require(Int(parts[4]))))
        }
    }

    @Test(arguments: ["number-20-10", "text-0", "text-999999", "hex-", "number-1", "uuid-4", "number--5-5", ""])
    func anInvalidRangeOrLengthRendersEmpty(_ name: String) throws {
        #expect(try self.render("[{{random.\(name)}}]", seed: 1) == "[]")
        #expect(ResponseTemplate.problems(in: ["random.\(name)"], captures: []).count == 1)
    }
}
