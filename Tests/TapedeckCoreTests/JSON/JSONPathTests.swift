import TapedeckCore
import Testing

@Suite
struct JSONPathTests {
    private func select(_ path: String, in document: String) throws -> String {
        try text(.array(JSONPath(path).values(in: json(document))))
    }

    /// RFC 9535, table 2.
    @Test(arguments: [
        ("$.store.book[*].author", #"["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]"#),
        ("$..author", #"["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]"#),
        ("$.store..price", "[8.95,12.99,8.99,22.99,399]"),
        ("$..book[2].author", #"["Herman Melville"]"#),
        ("$..book[2].publisher", "[]"),
        ("$..book[-1].title", #"["The Lord of the Rings"]"#),
        ("$..book[0,1].price", "[8.95,12.99]"),
        ("$..book[:2].price", "[8.95,12.99]"),
        ("$..book[?@.isbn].title", #"["Moby Dick","The Lord of the Rings"]"#),
        ("$..book[?@.price<10].title", #"["Sayings of the Century","Moby Dick"]"#),
        ("$.store.bicycle", #"[{"color":"red","price":399}]"#),
    ])
    func selectsInTheBookstore(_ path: String, _ selected: String) throws {
        #expect(try self.select(path, in: bookstore) == selected)
    }

    @Test func selectsAllThatIsInTheBookstore() throws {
        let store = try json(bookstore)
        #expect(try JSONPath("$.store.*").values(in: store).count == 2)
        #expect(try JSONPath("$..*").values(in: store).count == 27)
        #expect(try JSONPath("$").values(in: store) == [store])
    }

    /// RFC 9535 sections 2.3.1 to 2.3.4 and 2.5.
    @Test(arguments: [
        (#"{"o":{"j j":{"k.k":3}},"'":{"@":2}}"#, "$.o['j j']", #"[{"k.k":3}]"#),
        (#"{"o":{"j j":{"k.k":3}},"'":{"@":2}}"#, "$.o['j j']['k.k']", "[3]"),
        (#"{"o":{"j j":{"k.k":3}},"'":{"@":2}}"#, #"$.o["j j"]["k.k"]"#, "[3]"),
        (#"{"o":{"j j":{"k.k":3}},"'":{"@":2}}"#, #"$["'"]["@"]"#, "[2]"),
        (#"{"o":{"j":1,"k":2},"a":[5,3]}"#, "$[*]", #"[{"j":1,"k":2},[5,3]]"#),
        (#"{"o":{"j":1,"k":2},"a":[5,3]}"#, "$.o[*]", "[1,2]"),
        (#"{"o":{"j":1,"k":2},"a":[5,3]}"#, "$.o[*, *]", "[1,2,1,2]"),
        (#"{"o":{"j":1,"k":2},"a":[5,3]}"#, "$.a[*]", "[5,3]"),
        (#"["a","b"]"#, "$[1]", #"["b"]"#), (#"["a","b"]"#, "$[-2]", #"["a"]"#), (#"["a","b"]"#, "$[-3]", "[]"),
        (#"["a","b"]"#, "$[2]", "[]"),
        ("[0,1,2,3,4,5,6]", "$[1:3]", "[1,2]"), ("[0,1,2,3,4,5,6]", "$[5:]", "[5,6]"),
        ("[0,1,2,3,4,5,6]", "$[1:5:2]", "[1,3]"), ("[0,1,2,3,4,5,6]", "$[5:1:-2]", "[5,3]"),
        ("[0,1,2,3,4,5,6]", "$[::-1]", "[6,5,4,3,2,1,0]"), ("[0,1,2,3,4,5,6]", "$[::0]", "[]"),
        ("[0,1,2,3,4,5,6]", "$[-2:]", "[5,6]"), ("[0,1,2,3,4,5,6]", "$[:-5]", "[0,1]"),
        ("[0,1,2,3,4,5,6]", "$[10:-10:-3]", "[6,3,0]"), ("[0,1,2,3,4,5,6]", "$[9007199254740991:]", "[]"),
        ("[0,1,2]", "$[::9007199254740991]", "[0]"), ("[]", "$[::-1]", "[]"), ("[0,1,2]", "$[2:0:-1]", "[2,1]"),
        (#"["a","b","c","d","e","f","g"]"#, "$[0, 3]", #"["a","d"]"#),
        (#"["a","b","c","d","e","f","g"]"#, "$[0:2, 5]", #"["a","b","f"]"#),
        (#"["a","b","c","d","e","f","g"]"#, "$[0, 0]", #"["a","a"]"#),
        (#"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#, "$..j", "[1,4]"),
        (#"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#, "$..[0]", #"[5,{"j":4}]"#),
        (#"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#, "$..o", #"[{"j":1,"k":2}]"#),
        (#"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#, "$.a..[0, 1]", #"[5,3,{"j":4},{"k":6}]"#),
        (#"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#, "$.o..[*, *]", "[1,2,1,2]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.a", "[null]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.a[0]", "[]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.b[?@]", "[null]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.b[?@==null]", "[null]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.c[?@.d==null]", "[]"),
        (#"{"a":null,"b":[null],"c":[{}],"null":1}"#, "$.null", "[1]"),
        (#"{"ä":{"☃":1},"_":2}"#, "$.ä.☃", "[1]"), (#"{"a\n":1}"#, #"$["a\n"]"#, "[1]"),
        (#"{"😀'\"":1}"#, #"$['\uD83D\ude00\'"']"#, "[1]"), (#"{"a":[{"b":1}]}"#, "$ .a\n[ 0 ] ['b']", "[1]"),
        (#"{"a":1,"a":2}"#, "$.a", "[2]"), (#"{"\u00e9":1}"#, "$['e\u{301}']", "[]"),
    ])
    func selectsAsInTheStandard(_ document: String, _ path: String, _ selected: String) throws {
        #expect(try self.select(path, in: document) == selected)
    }

    /// RFC 9535, table 11.
    @Test(arguments: [
        ("$.absent1 == $.absent2", true), ("$.absent1 <= $.absent2", true), ("$.absent == 'g'", false),
        ("$.absent1 != $.absent2", false), ("$.absent != 'g'", true), ("1 <= 2", true), ("1 > 2", false),
        ("13 == '13'", false), ("'a' <= 'b'", true), ("'a' > 'b'", false), ("$.obj == $.arr", false),
        ("$.obj != $.arr", true), ("$.obj == $.obj", true), ("$.obj != $.obj", false), ("$.arr == $.arr", true),
        ("$.arr != $.arr", false), ("$.obj == 17", false), ("$.obj != 17", true), ("$.obj <= $.arr", false),
        ("$.obj < $.arr", false), ("$.obj <= $.obj", true), ("$.arr <= $.arr", true), ("1 <= $.arr", false),
        ("1 >= $.arr", false), ("1 > $.arr", false), ("1 < $.arr", false), ("true <= true", true),
        ("true > true", false), ("1.0 == 1", true), ("-0 == 0e5", true), ("1E2 == 100", true), ("null == null", true),
        ("'é' == \"\\u00e9\"", true), ("!$.absent", true), ("!(1 == 1)", false), ("1==1 || 1==2 && 1==2", true),
        ("(1==1 || 1==2) && 1==2", false), ("! ( $.absent )", true), ("$.arr[0] == 2", true), ("$..x", true),
        ("$['obj']['x'] == 'y'", true), ("$.arr[-1]>=3", true),
    ])
    func comparesAsInTheStandard(_ filter: String, _ holds: Bool) throws {
        let document = #"{"obj":{"x":"y"},"arr":[2,3]}"#
        #expect(try self.select("$[?\(filter)]", in: document) == (holds ? #"[{"x":"y"},[2,3]]"# : "[]"))
    }

    /// RFC 9535, table 12.
    @Test(arguments: [
        ("$.a[?@.b == 'kilo']", #"[{"b":"kilo"}]"#), ("$.a[?(@.b == 'kilo')]", #"[{"b":"kilo"}]"#),
        ("$.a[?@>3.5]", "[5,4,6]"), ("$.a[?@.b]", #"[{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]"#),
        ("$.o[?@<3, ?@<3]", "[1,2,1,2]"), (#"$.a[?@<2 || @.b == "k"]"#, #"[1,{"b":"k"}]"#),
        ("$.o[?@>1 && @<4]", "[2,3]"), ("$.o[?@.u || @.x]", #"[{"u":6}]"#), ("$.a[?@.b == $.x]", "[3,5,1,2,4,6]"),
        ("$[?@[?@.b]]", #"[[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]]"#),
        ("$.a[?@ == @][0]", "[]"), ("$.o[? @ == 5 ]", "[5]"), ("$..[?@.u]", #"[{"u":6}]"#),
    ])
    func filtersAsInTheStandard(_ path: String, _ selected: String) throws {
        let document = """
            {"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],
             "o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}
            """
        #expect(try self.select(path, in: document) == selected)
    }

    @Test(arguments: [
        ("", 0), ("a.b", 0), (" $", 0), ("$.", 2), ("$..", 3), ("$.a b", 3), ("$ ", 1), ("$.1a", 2), ("$.a-b", 3),
        ("$[", 2), ("$[]", 2), ("$[1", 3), ("$['a]", 2), ("$['a'", 5), ("$[01]", 2), ("$[-0]", 2), ("$[-]", 2),
        ("$[9007199254740992]", 2), ("$[1:2:3:4]", 7), ("$['\\x']", 3), ("$['\\\"']", 3), ("$['\\uD800']", 3),
        ("$['\\uD800\\u0041']", 3), ("$['\\u12']", 3), ("$['a\nb']", 4), ("$[a]", 2), ("$[?]", 3), ("$[?1]", 3),
        ("$[?@.a == ]", 10), ("$[?@.* == 1]", 3), ("$[?1 == @..a]", 8), ("$[?!@.a == 1]", 4), ("$[?(@.a]", 7),
        ("$[?@.a &&]", 9), ("$[?@.a = 1]", 7), ("$[?@.a == 01]", 10), ("$[?@.a == 1.]", 10), ("$[?a]", 3),
        ("$[?length(@.a) == 1]", 3), ("$[?@.a == True]", 10), ("$.a]", 3), ("$.a.", 4), ("$[1,]", 4), ("$. a", 2),
        ("$.é\u{301}[x]", 5), ("$[?@.a === 1]", 9), ("$[?(1) == 1]", 4), ("$.*a", 3),
    ])
    func reportsTheOffsetOfAnError(_ path: String, _ offset: Int) throws {
        let error = try #require(throws: JSONPathError.self) { try JSONPath(path) }
        #expect(error.offset == offset, "\(error)")
        #expect("\(error)" == "at character \(offset + 1): \(error.message)")
    }

    @Test func reportsThatFunctionsAreNotSupported() throws {
        let error = try #require(throws: JSONPathError.self) { try JSONPath("$[?count(@.*) > 1]") }
        #expect(error.message == "functions such as count() are not supported")
    }

    @Test func refusesBracketsWithoutEnd() {
        #expect(throws: JSONPathError.self) { try JSONPath("$[?" + String(repeating: "(", count: 100_000)) }
        #expect(throws: JSONPathError.self) { try JSONPath("$" + String(repeating: "[?@", count: 100_000)) }
    }

    @Test func keepsItsSpelling() throws {
        #expect(try "\(JSONPath("$ ['a'] .b"))" == "$ ['a'] .b")
        #expect(try JSONPath("$.a") == JSONPath("$.a"))
        #expect(try JSONPath("$.a") != JSONPath("$.b"))
        #expect(try Set([JSONPath("$.a"), JSONPath("$.a"), JSONPath("$.é"), JSONPath("$.e\u{301}")]).count == 3)
    }

    @Test func selectsValuesUpToALimit() throws {
        let many = JSONValue.array(Array(repeating: .null, count: 1_000))
        #expect(try JSONPath("$[*]").values(in: many).count == 1_000)
        let square = JSONValue.array(Array(repeating: many, count: 150))
        for path in ["$[*][*]", "$[::-1][:]", "$..*", "$[*][?@ == null]"] {
            #expect(try JSONPath(path).values(in: square).count == 100_000)
        }
    }
}
