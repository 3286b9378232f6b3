import TapedeckYAML
import Testing

@Suite
struct YAMLNodeTests {
    private func root(_ text: String) throws -> YAMLNode {
        try #require(try YAMLDocument(parsing: Array(text.utf8)).root)
    }

    private func source(_ node: YAMLNode?) throws -> String {
        let node = try #require(node)
        return String(decoding: node.document.source[node.range], as: UTF8.self)
    }

    @Test func rangesCoverTheTokenAndNothingElse() throws {
        let root = try self.root(
            """
            # head
            plain: two words   # c
            single: 'it''s' # c
            double: "x"
            more: one
              two
            # c

            empty:
            flow: { a: [1, 2 ], b: , c }  # c
            literal: |  # c
              one

              two

            # c
            keep: |+
              one

            list:
              - a
              -   b: 1
                  c: |-
                    x

                # c
              -
              - - d
                - e   # c
            # tail

            """
        )
        #expect(try self.source(root["plain"]) == "two words")
        #expect(try self.source(root["single"]) == "'it''s'")
        #expect(try self.source(root["double"]) == #""x""#)
        #expect(try self.source(root["more"]) == "one\n  two")
        #expect(try self.source(root["empty"]) == "")
        #expect(try self.source(root["flow"]) == "{ a: [1, 2 ], b: , c }")
        #expect(try self.source(root["flow"]?["a"]) == "[1, 2 ]")
        #expect(try self.source(root["flow"]?["b"]) == "")
        #expect(try self.source(root["literal"]) == "|  # c\n  one\n\n  two\n")
        #expect(try self.source(root["keep"]) == "|+\n  one\n\n")
        let list = try #require(root["list"])
        #expect(list.count == 4)
        #expect(try self.source(list).hasPrefix("- a\n  -   b: 1"))
        #expect(try self.source(list).hasSuffix("- - d\n    - e"))
        let items = Array(list.items)
        #expect(try self.source(items[1]) == "b: 1\n      c: |-\n        x\n")
        #expect(try self.source(items[2]) == "")
        #expect(try self.source(items[3]) == "- d\n    - e")
        #expect(root.range.lowerBound == 7)
        #expect(root.range.upperBound == list.range.upperBound)
    }

    @Test func anItemKnowsItsDash() throws {
        let text = "a:\n- x\n-   y: 1\n    z: 2\n-\n  - - p\n    - q\nb: [r]\n"
        let root = try self.root(text)
        let bytes = Array(text.utf8)
        let items = try Array(#require(root["a"]).items)
        #expect(items.map(\.indicator) == [3, 7, 25])
        #expect(items.map(\.column) == [2, 4, 2])
        let inner = try #require(Array(items[2].items).first)
        #expect(inner.indicator == 29)
        #expect(inner.items.map(\.indicator) == [31, 39])
        for node in items + Array(inner.items) {
            #expect(try bytes[#require(node.indicator)] == UInt8(ascii: "-"))
        }
        #expect(root["a"]?.indicator == nil)
        #expect(items[1]["y"]?.indicator == nil)
        #expect(try #require(root["b"]).items.map(\.indicator) == [nil])
    }

    @Test func everyRangeLiesWithinThatOfItsParent() throws {
        func check(_ node: YAMLNode) {
            for child in Array(node.items) + node.pairs.flatMap({ [$0.key, $0.value] }) {
                #expect(node.range.lowerBound <= child.range.lowerBound)
                #expect(child.range.upperBound <= node.range.upperBound)
                check(child)
            }
            #expect(node.count == Array(node.items).count + Array(node.pairs).count)
        }
        for text in YAMLSamples.accepted {
            if let root = try YAMLDocument(parsing: Array(text.utf8)).root {
                check(root)
            }
        }
    }

    @Test func tellsKindsAndStyles() throws {
        let root = try self.root("a: x\nb: 'x'\nc: \"x\"\nd: |\n  x\ne: >\n  x\nf: []\ng:\n  - {}\nh: {i: j}\n")
        #expect(
            ["a", "b", "c", "d", "e"].map { root[$0]?.style }
                == [.plain, .singleQuoted, .doubleQuoted, .literal, .folded]
        )
        #expect(root.kind == .mapping)
        #expect(root.style == nil)
        #expect(!root.isFlow)
        #expect(root["f"]?.kind == .sequence)
        #expect(root["f"]?.isFlow == true)
        #expect(root["g"]?.isFlow == false)
        #expect(root["g"]?.string == "")
        #expect(root["a"]?.isFlow == false)
        #expect(root["a"]?.count == 0)
        #expect(root["h"]?["i"]?.string == "j")
        #expect(root["nothing"] == nil)
        #expect(root["f"]?["x"] == nil)
    }

    @Test func comparesTextWithoutRegardToStyle() throws {
        let root = try self.root("a: x y\nb: 'x y'\nc: \"x\\x20y\"\nd: |-\n  x y\ne: [x y]\n\"f\\u0067\": 1\n")
        for key in ["a", "b", "c", "d"] {
            #expect(root[key]?.scalarEquals("x y") == true)
            #expect(root[key]?.scalarEquals("x z") == false)
            #expect(root[key]?.scalarEquals("") == false)
            #expect(root[key]?.bytes == Array("x y".utf8))
            #expect(root[key]?.withScalarBytes { Array($0) } == Array("x y".utf8))
        }
        #expect(root["e"]?.scalarEquals("") == false)
        #expect(root["fg"]?.int == 1)
    }

    @Test(arguments: [
        ("", true), ("~", true), ("null", true), ("Null", true), ("NULL", true), ("nULL", false), ("'~'", false),
        ("''", false), ("\"null\"", false), ("nil", false), ("[]", false),
    ])
    func knowsNulls(_ text: String, expected: Bool) throws {
        #expect(try self.root("a: \(text)")["a"]?.isNull == expected)
    }

    @Test(
        arguments: [
            ("true", true), ("True", true), ("TRUE", true), ("false", false), ("False", false), ("FALSE", false),
            ("yes", nil), ("on", nil), ("tRUE", nil), ("'true'", nil), ("1", nil), ("", nil),
        ] as [(String, Bool?)]
    )
    func knowsBooleans(_ text: String, expected: Bool?) throws {
        #expect(try self.root("a: \(text)")["a"]?.bool == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("200", 200), ("-1", -1), ("+7", 7), ("007", 7), ("0x1F", 31), ("0o17", 15), ("0x", nil),
            ("0o8", nil),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil), ("1_000", nil),
            ("1.0", nil), ("1e3", nil), ("'1'", nil), ("--1", nil), ("", nil), ("-0x1", nil), ("12:30:45", nil),
        ] as [(String, Int?)]
    )
    func knowsIntegers(_ text: String, expected: Int?) throws {
        #expect(try self.root("a: \(text)")["a"]?.int == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("1.5", 1.5), ("-1.5e3", -1500), (".5", 0.5), ("1.", 1), ("+1E-2", 0.01), (".inf", .infinity),
            ("-.INF", -.infinity), ("+.Inf", .infinity), (".", nil), ("1e", nil), ("e1", nil), ("inf", nil),
            ("nan", nil),
            ("0x10", nil), ("1_0.0", nil), ("'1.5'", nil), ("", nil), ("1.5x", nil), ("-.nan", nil), (".infx", nil),
        ] as [(String, Double?)]
    )
    func knowsNumbers(_ text: String, expected: Double?) throws {
        #expect(try self.root("a: \(text)")["a"]?.double == expected)
    }

    @Test func knowsNotANumber() throws {
        #expect(try self.root(".nan").double?.isNaN == true)
        #expect(try self.root(".NaN").double?.isNaN == true)
    }
}
