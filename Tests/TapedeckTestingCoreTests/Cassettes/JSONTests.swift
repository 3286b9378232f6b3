import Foundation
import TapedeckTestingCore
import Testing

@Suite("JSON values")
struct JSONTests {
    private let sample: Tapedeck.JSON = [
        "z": 1, "a": [true, nil, 1.5, "é\u{2028}\n"], "empty": [:], "list": [], "name": "Ada \(1 + 1)",
    ]

    @Test("are written with members in their order")
    func text() {
        #expect(
            self.sample.text
                == "{\"z\":1,\"a\":[true,null,1.5,\"é\u{2028}\\n\"],\"empty\":{},\"list\":[],\"name\":\"Ada 2\"}"
        )
        #expect(
            (["a": [1, ["b": []]]] as Tapedeck.JSON).prettyText
                == "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ]\n}"
        )
        #expect(Tapedeck.JSON("\u{0}\u{1F}\t\r\"\\/").text == #""\u0000\u001F\t\r\"\\/""#)
        #expect("\(self.sample)" == self.sample.text)
        #expect(Tapedeck.JSON(["b": 1, "a": 2] as [String: Tapedeck.JSON]).text == #"{"a":2,"b":1}"#)
    }

    @Test("keep the spelling of numbers", arguments: ["1.50", "1e3", "-0", "12345678901234567890123", "1E-7", "0.0"])
    func spelling(_ number: String) throws {
        #expect(try Tapedeck.JSON(parsing: number).text == number)
        #expect(try Tapedeck.JSON(parsing: number).number == number)
    }

    @Test("are read as they were written")
    func roundTrip() throws {
        #expect(try Tapedeck.JSON(parsing: self.sample.text).text == self.sample.text)
        #expect(try Tapedeck.JSON(parsing: self.sample.prettyText).text == self.sample.text)
        #expect(try Tapedeck.JSON(parsing: Data([0xEF, 0xBB, 0xBF] + " [1 ] ".utf8)).text == "[1]")
        #expect(try Tapedeck.JSON(parsing: #""\u00e9\ud83d\ude00\ud800\/\b\f""#).string == "é😀\u{FFFD}/\u{8}\u{C}")
    }

    @Test(
        "that are invalid are rejected with the place",
        arguments: [
            ("", "line 1, column 1: the text ends where a value should be"),
            ("{\n  \"a\": }", "line 2, column 8: this is no JSON value"),
            ("[1 2]", "line 1, column 4: a comma or ] is missing here"),
            ("[1,]", "line 1, column 4: this is no JSON value"),
            ("{\"a\" 1}", "line 1, column 6: a colon is missing here"),
            ("{\"é\" 1}", "line 1, column 6: a colon is missing here"),
            ("{a: 1}", "line 1, column 2: a name in quotation marks should be here"),
            ("[1] x", "line 1, column 5: something follows behind the end of the JSON"),
            ("01", "line 1, column 1: this is no JSON number, or its exponent has more than 18 digits"),
            ("[-]", "line 1, column 2: this is no JSON number, or its exponent has more than 18 digits"),
            ("1.e1", "line 1, column 1: this is no JSON number, or its exponent has more than 18 digits"),
            (
                "1e1234567890123456789",
                "line 1, column 1: this is no JSON number, or its exponent has more than 18 digits"
            ),
            ("\"a", "line 1, column 1: the string that begins here has no end"),
            ("\"\\x\"", "line 1, column 2: JSON has no such escape"),
            ("\"\\u00g0\"", "line 1, column 2: four hex digits follow \\u"),
            ("\"a\nb\"", "line 1, column 3: a control character in a string is written as an escape, such as \\n"),
            ("nul", "line 1, column 1: this is no JSON value"),
            (String(repeating: "[", count: 600), "line 1, column 513: nested deeper than 512 levels"),
        ]
    )
    func refusals(_ text: String, _ message: String) {
        let error = #expect(throws: Tapedeck.JSON.ParsingError.self) { try Tapedeck.JSON(parsing: text) }
        #expect(error?.description == message)
    }

    @Test("that are not UTF-8 are rejected")
    func notUTF8() {
        #expect(throws: Tapedeck.JSON.ParsingError.self) { try Tapedeck.JSON(parsing: Data([0x22, 0xFF, 0x22])) }
    }

    @Test("return their own content, and nil for other types")
    func accessors() throws {
        let json = self.sample
        #expect(json["z"]?.int == 1)
        #expect(json["a"]?[0]?.bool == true)
        #expect(json["a"]?[1]?.isNull == true)
        #expect(json["a"]?[2]?.double == 1.5)
        #expect(json["a"]?[2]?.int == nil)
        #expect(json["a"]?[3]?.string == "é\u{2028}\n")
        #expect(json["a"]?[4] == nil)
        #expect(json["a"]?[-1] == nil)
        #expect(json["gone"] == nil)
        #expect(json["z"]?["y"] == nil)
        #expect(json["a"]?.array?.count == 4)
        #expect(json.members?.map(\.name) == ["z", "a", "empty", "list", "name"])
        #expect(json.object?.keys.sorted() == ["a", "empty", "list", "name", "z"])
        #expect(try Tapedeck.JSON(parsing: "1.20e2").int == 120)
        #expect(try Tapedeck.JSON(parsing: "1e400").double == .infinity)
        #expect(try Tapedeck.JSON(parsing: "1e400").int == nil)
        #expect(Tapedeck.JSON(UInt64.max).text == "18446744073709551615")
        #expect(Tapedeck.JSON(Double.nan).isNull)
    }

    @Test("are changed by name")
    func changes() {
        var json: Tapedeck.JSON = ["a": 1, "b": 2]
        json["a"] = "x"
        json["c"] = nil
        json["d"] = ["e": 1]
        json["d"]?["e"] = 2
        json["b"] = nil
        #expect(json.text == #"{"a":"x","d":{"e":2}}"#)
        var new: Tapedeck.JSON = nil
        new["a"] = 1
        #expect(new.text == #"{"a":1}"#)
    }

    @Test("are equal when they mean the same")
    func equality() throws {
        #expect(["a": 1, "b": [1.0, nil]] as Tapedeck.JSON == ["b": [1, nil], "a": 1])
        #expect(["a": 1] as Tapedeck.JSON != ["a": 2])
        #expect(["a": 1] as Tapedeck.JSON != ["a": 1, "b": nil])
        #expect([1, 2] as Tapedeck.JSON != [2, 1])
        #expect(Tapedeck.JSON("1") != 1)
        #expect(Tapedeck.JSON(true) != 1)
        #expect(try Tapedeck.JSON(parsing: "[1.20e2, -0, 1e-2, 0.00]") == Tapedeck.JSON(parsing: "[120, 0, 0.01, 0e7]"))
        #expect(
            try Tapedeck.JSON(parsing: "12345678901234567890123") != Tapedeck.JSON(parsing: "12345678901234567890124")
        )
        #expect(try Tapedeck.JSON(parsing: #"{"a":1,"a":2}"#) == ["a": 2])
    }

    private struct User: Codable, Equatable {
        var name: String
        var tags: [String]
        var extra: Tapedeck.JSON
    }

    @Test("are made of Encodable values, and decoded as Decodable ones")
    func coding() throws {
        let user = User(name: "Ada", tags: ["a/b"], extra: ["n": 1, "x": [1.5, nil, true, "s", 2e300]])
        let json = try Tapedeck.JSON(encoding: user)
        #expect(json.text == #"{"extra":{"n":1,"x":[1.5,null,true,"s",2e+300]},"name":"Ada","tags":["a/b"]}"#)
        #expect(try json.decode(as: User.self) == user)
        #expect(throws: DecodingError.self) { try (["name": 1] as Tapedeck.JSON).decode(as: User.self) }
        let large = try Tapedeck.JSON(parsing: "[18446744073709551615]")
        #expect(try Tapedeck.JSON(encoding: large).text == large.text)
        #expect(try large.decode(as: Tapedeck.JSON.self).text == large.text)
        let snake = JSONEncoder()
        snake.keyEncodingStrategy = .convertToSnakeCase
        #expect(try Tapedeck.JSON(encoding: ["aB": 1], with: snake)["aB"]?.int == 1)
    }
}
