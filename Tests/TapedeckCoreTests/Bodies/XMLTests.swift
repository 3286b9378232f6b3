import Testing

@testable import TapedeckCore

/// XML is compared by elements, attributes and text; what is not well-formed is no XML.
@Suite struct XMLTests {
    private static func parse(_ text: String) -> XMLElement? { XMLParser.parse(Array(text.utf8)) }

    @Test(arguments: [
        "", "<", "<a", "<a>", "</a>", "<a></b>", "<a b></a>", "<a b=c></a>", "<a b='1' b='2'/>", "<a>&nbsp;</a>",
        "<a>&</a>",
        "<a><b></a></b>", "<a/><b/>", "text", "<a/>text", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a b='<'/>",
        "<a>&#xD800;</a>", "<a>&#0x;</a>", "<![CDATA[x]]>", "<a><![CDATA[x]]</a>", "<!-- <a/>", "<?xml version='1.0'",
        "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a/>",
    ])
    func `other texts are no XML`(_ text: String) {
        #expect(Self.parse(text) == nil)
    }

    @Test func `bytes that are not UTF-8 are no XML, and neither are 1,000 levels`() {
        #expect(XMLParser.parse([0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E]) == nil)
        let deep = String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000)
        #expect(Self.parse(deep) == nil)
        #expect(Self.parse(String(repeating: "<a>", count: 500) + String(repeating: "</a>", count: 500)) != nil)
    }

    @Test(arguments: [
        ("/a/b", "<a><b>1</b><c/></a>", "<a><c/></a>"), ("//n", "<a><n/><b><n x='1'/></b></a>", "<a><b/></a>"),
        ("/a/*/@id", "<a><b id='1' c='2'/></a>", "<a><b c='2'/></a>"),
        ("//@id", "<a id='1'><b id='2'/></a>", "<a><b/></a>"),
        ("/x", "<a><x/></a>", "<a><x/></a>"),
    ])
    func `a path removes what it selects`(_ path: String, _ text: String, _ rest: String) throws {
        let element = try #require(Self.parse(text))
        #expect(element.removing([try XMLPath(path)]) == Self.parse(rest))
    }

    @Test(arguments: ["", "a", "/", "//", "/a/", "///a", "/a/@b/c", "/a:b", "/a[1]", "/a b"])
    func `other texts are no paths`(_ text: String) {
        #expect(throws: PatternError.self) { try XMLPath(text) }
    }

    @Test func `a difference names the element that is missing, added or changed`() throws {
        func places(_ wanted: String, _ came: String) throws -> [String] {
            let expected = try #require(XMLExpectation(Array(wanted.utf8), ignoring: []))
            return expected.differences(try #require(Self.parse(came)), limit: 9).map(\.path)
        }
        let pay = "<p><stamp>1</stamp><to>ada</to><amount>5</amount></p>"
        #expect(try places(pay, "<p><to>ada</to><amount>5</amount></p>") == ["/p/stamp"])
        #expect(try places(pay, "<p><stamp>1</stamp><to>bob</to><amount>5</amount></p>") == ["/p/to"])
        #expect(try places(pay, "<p><stamp>1</stamp><to>ada</to><x/><amount>5</amount></p>") == ["/p/x"])
        #expect(try places("<l><i>1</i><i>2</i></l>", "<l><i>1</i><i>3</i></l>") == ["/l/i[2]"])
        #expect(try places("<a b='1'/>", "<a c='1'/>") == ["/a/@b", "/a/@c"])
    }

    @Test func `placeholders match values of their kind`() throws {
        let text = "<a id='{{any.uuid}}'>order-{{any.number}}</a>"
        let expected = try #require(XMLExpectation(Array(text.utf8), ignoring: []))
        #expect(expected.matches(try #require(Self.parse("<a id='e53c9ae7-ce13-414a-b054-ea3c8a1b2c3d'>order-12</a>"))))
        #expect(!expected.matches(try #require(Self.parse("<a id='e53c9ae7'>order-12</a>"))))
    }

    @Test func `an element that is ignored as a whole may be anything`() throws {
        let expected = try #require(XMLExpectation(Array("<a>1</a>".utf8), ignoring: [try XMLPath("/a")]))
        #expect(expected.matches(try #require(Self.parse("<a>2</a>"))))
        #expect(!expected.matches(try #require(Self.parse("<b>1</b>"))))
    }
}
