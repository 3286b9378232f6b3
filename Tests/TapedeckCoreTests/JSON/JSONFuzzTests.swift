import TapedeckCore
import Testing

@Suite
struct JSONFuzzTests {
    private static let document =
        #"{"a":{"s":"text","n":5,"f":-1.5,"b":true,"z":null,"l":["x",0,{"k":"v"}]},"keep":["y",1,true]}"#

    private func fuzzed(_ fuzz: JSONFuzz, at path: String = "$.a", seed: UInt64 = 1) throws -> JSONValue {
        var generator = SeededRandom(seed: seed)
        return fuzz.apply(to: try json(Self.document), at: try JSONPath(path), random: &generator)
    }

    @Test(arguments: JSONFuzz.allCases)
    func changesOnlyTheSelectedValue(_ fuzz: JSONFuzz) throws {
        for seed in 0..<20 {
            let value = try self.fuzzed(fuzz, seed: UInt64(seed))
            #expect(try value["keep"] == json(#"["y",1,true]"#))
            #expect(try value["a"] != json(Self.document)["a"])
        }
        #expect(try self.fuzzed(fuzz, at: "$.none") == json(Self.document))
    }

    @Test(arguments: JSONFuzz.allCases)
    func isTheSameForTheSameSeed(_ fuzz: JSONFuzz) throws {
        #expect(try text(self.fuzzed(fuzz, seed: 9)) == text(self.fuzzed(fuzz, seed: 9)))
    }

    @Test(arguments: [
        (JSONFuzz.emptyStrings, #"{"s":"","n":5,"f":-1.5,"b":true,"z":null,"l":["",0,{"k":""}]}"#),
        (.nulls, #"{"s":null,"n":null,"f":null,"b":null,"z":null,"l":[null,null,{"k":null}]}"#),
        (.negativeNumbers, #"{"s":"text","n":-5,"f":-1.5,"b":true,"z":null,"l":["x",-1,{"k":"v"}]}"#),
    ])
    func spoilsEverythingInTheSelectedValue(_ fuzz: JSONFuzz, _ after: String) throws {
        #expect(try text(#require(self.fuzzed(fuzz)["a"])) == after)
        // Selecting what is inside as well changes nothing: each value is spoilt once.
        #expect(try text(#require(self.fuzzed(fuzz, at: "$['a','a']")["a"])) == after)
        #expect(try text(#require(self.fuzzed(fuzz, at: "$..a")["a"])) == after)
    }

    @Test func turnsTypesIntoOthersOnce() throws {
        for path in ["$.a", "$.a..*", "$..*"] {
            let value = try #require(try self.fuzzed(.wrongTypes, at: path)["a"])
            guard case .number = value["s"] else {
                Issue.record("\(path): the string is \(text(value))")
                continue
            }
            #expect(value["n"] == .string("5"))
            #expect(value["b"] == .string("true"))
            #expect(value["z"] == .object([]))
        }
    }

    @Test func makesStringsLong() throws {
        let long = try #require(self.fuzzed(.longStrings)["a"]?["s"]?.stringValue)
        #expect((4_000...12_100).contains(long.unicodeScalars.count))
        #expect(long.hasPrefix("texttext"))
    }

    @Test func addsCharactersOfSeveralCodePoints() throws {
        let emoji = try #require(self.fuzzed(.emoji)["a"]?["s"]?.stringValue)
        #expect(emoji.contains("text"))
        #expect(emoji.unicodeScalars.count > emoji.count)
    }

    @Test func makesNumbersThatDoNotFitIntoAnInt() throws {
        for seed in 0..<10 {
            let value = try self.fuzzed(.hugeNumbers, at: "$.a.n", seed: UInt64(seed))
            guard case .number(let number) = value["a"]?["n"] else {
                Issue.record("no number")
                continue
            }
            #expect(number.intValue == nil)
            #expect(try json(number.spelling) == .number(number))
        }
    }

    @Test func dropsAboutHalfOfTheMembers() throws {
        var left = 0
        for seed in 0..<100 {
            guard case .object(let members) = try self.fuzzed(.dropKeys, seed: UInt64(seed))["a"] else { continue }
            #expect(members.count < 6)
            left += members.count
        }
        #expect((150...400).contains(left))
        #expect(try self.fuzzed(.dropKeys, at: "$.a.s")["a"]?["s"] == nil)
        var generator = SeededRandom(seed: 1)
        #expect(try JSONFuzz.dropKeys.apply(to: .null, at: JSONPath("$"), random: &generator) == .null)
        let one = try json(#"{"a":1}"#)
        #expect(try JSONFuzz.dropKeys.apply(to: one, at: JSONPath("$"), random: &generator) == .object([]))
    }
}
