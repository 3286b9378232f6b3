import TapedeckCore
import Testing

@Suite
struct JSONNumberTests {
    @Test(arguments: [
        ("1", "1.0"), ("1", "1e0"), ("100", "1E2"), ("0.1", "1e-1"), ("-0", "0"), ("0e99", "0.000"), ("-0.0", "0"),
        ("1e2", "0.1e+3"), ("12345678901234567890.10", "1234567890123456789010e-2"), ("1e-0007", "0.0000001"),
        ("1e999999999999999999", "10e999999999999999998"), ("120", "12e1"), ("-1.50", "-15e-1"),
    ])
    func equalsAnotherSpellingOfItsValue(_ left: String, _ right: String) throws {
        #expect(try #require(JSONNumber(left)) == #require(JSONNumber(right)))
        let comparison = JSONComparison()
        #expect(try comparison.canonical(json(left)) == comparison.canonical(json(right)))
    }

    @Test(arguments: [
        // Doubles cannot tell the first ones apart.
        ("9007199254740992", "9007199254740993"), ("0.1", "0.10000000000000000000000001"), ("1e400", "1e401"),
        ("-1", "1"), ("-2", "-1"), ("0", "1"), ("-1", "0"), ("1", "10"), ("9", "10"), ("1e-5", "1e-4"),
        ("0.5", "0.51"), ("-0.51", "-0.5"), ("-1e10", "1e-10"), ("99", "1e2"), ("-1e999999999999999999", "-1"),
        ("9223372036854775807", "9223372036854775808"), ("12", "12.5"), ("1.9", "2"),
    ])
    func isSmaller(_ small: String, _ large: String) throws {
        let (small, large) = try (#require(JSONNumber(small)), #require(JSONNumber(large)))
        #expect(small < large)
        #expect(!(large < small))
        #expect(small != large)
        #expect(!(small < small))
        let comparison = JSONComparison()
        #expect(comparison.canonical(.number(small)) != comparison.canonical(.number(large)))
    }

    @Test(arguments: [
        "", "-", "01", "1.", ".1", "1e", "1e+", "+1", " 1", "1 ", "0x1", "1e1234567890123456789", "--1", "NaN",
    ])
    func rejectsInvalidNumbers(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test func keepsItsSpelling() throws {
        #expect(try #require(JSONNumber("-1.50E+03")).spelling == "-1.50E+03")
        #expect(try text(json("[1.0, 1e2, -0]")) == "[1.0,1e2,-0]")
    }

    @Test func givesItsValueToSwift() throws {
        #expect(JSONNumber("1.5e3")?.doubleValue == 1500)
        #expect(JSONNumber("1e999")?.doubleValue == .infinity)
        #expect(JSONNumber("1.5e3")?.intValue == 1500)
        #expect(JSONNumber("-12.0")?.intValue == -12)
        #expect(JSONNumber("-9223372036854775808")?.intValue == .min)
        #expect(JSONNumber("9223372036854775808")?.intValue == nil)
        #expect(JSONNumber("1e18")?.intValue == 1_000_000_000_000_000_000)
        #expect(JSONNumber("1e999999999999999999")?.intValue == nil)
        #expect(JSONNumber("1.5")?.intValue == nil)
        #expect(JSONNumber("0.0")?.intValue == 0)
        #expect(JSONNumber(-7).spelling == "-7")
    }

    @Test func isOrderedAsWholeNumbersAre() throws {
        var generator = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let left = Int.random(in: -3000...3000, using: &generator)
            let right = Int.random(in: -3000...3000, using: &generator)
            // Behind the point, so that no short cut for integers is taken.
            let numbers = try [left, right].map { try #require(JSONNumber("\($0)e-2")) }
            #expect((numbers[0] < numbers[1]) == (left < right), "\(left) \(right)")
            #expect((numbers[0] == numbers[1]) == (left == right), "\(left) \(right)")
        }
    }
}
