import TapedeckCassettes
import TapedeckCore
import Testing

/// The differences between two answers to the same request: shapes separate from values.
@Suite struct TakeComparisonTests {
    private static func take(_ json: String, status: Int = 200, headers: [HeaderField] = []) -> Take {
        let type = HeaderField("Content-Type", "application/json")
        let body = InlineBody(form: .json, content: Array(json.utf8))
        return Take(status: status, headers: [type] + headers, body: .inline(body))
    }

    private static func text(_ text: String, type: String = "text/plain") -> Take {
        let body = InlineBody(form: .text, content: Array(text.utf8))
        return Take(headers: [HeaderField("Content-Type", type)], body: .inline(body))
    }

    private static func lines(_ old: Take, _ new: Take, ignoring rules: MatchingRules = MatchingRules()) -> [String] {
        TakeComparison.differences(old, new, ignoring: rules).map(\.summary)
    }

    // MARK: JSON

    /// A JSON body before and now, and the reported difference.
    struct Case: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        var told: [String]

        init(_ old: String, _ new: String, _ told: String...) {
            self.old = old
            self.new = new
            self.told = told
        }

        var testDescription: String { "\(self.old) → \(self.new)" }
    }

    @Test(arguments: [
        Case(#"{"a":1,"b":"x"}"#, #"{"b":"x","a":1.0}"#),
        Case(#"{"a":"1"}"#, #"{"a":1}"#, "~ $.a: string → number"),
        Case(#"{"a":null}"#, #"{"a":"x"}"#, "~ $.a: null → string"),
        Case(#"{"a":{"b":1}}"#, #"{"a":null}"#, "~ $.a: object → null"),
        Case(#"{"a":1}"#, #"{"a":1,"n":{}}"#, "+ $.n: object"),
        Case(#"{"a":1,"g":[]}"#, #"{"a":1}"#, "- $.g: array"),
        Case(#"{"stars":10}"#, #"{"stars":12}"#, "~ value $.stars: 10 → 12"),
        Case(#"{"o":{"l":"x","i":1}}"#, #"{"o":{"l":7,"i":2}}"#, "~ $.o.l: string → number", "~ value $.o.i: 1 → 2"),
        Case("[1]", #"{"a":1}"#, "~ $: array → object"),
        Case(#""x""#, #""y""#, #"~ value $: "x" → "y""#),
        Case(#"{"it's":1}"#, #"{"it's":true}"#, #"~ $["it's"]: number → boolean"#),
        Case(#"{"a":1,"a":"x"}"#, #"{"a":"x"}"#),
    ])
    func `objects are compared by their members`(_ sample: Case) {
        #expect(Self.lines(Self.take(sample.old), Self.take(sample.new)) == sample.told)
    }

    @Test(arguments: [
        Case("[]", "[1]", "~ value $: 0 items → 1 item"),
        Case("[1]", "[]", "~ value $: 1 item → 0 items"),
        Case("[1,2]", "[1,3]", "~ value $[1]: 2 → 3"),
        Case("[1]", #"[1,"x"]"#, "~ $[*]: number → string or number", "~ value $: 1 item → 2 items"),
        // Another sample of known types is not a change of shape.
        Case(#"[1,"x"]"#, "[1]", "~ value $: 2 items → 1 item"),
        Case(#"[{"a":1},{"a":null}]"#, #"[{"a":1},{"a":2}]"#, "~ value $[1].a: null → 2"),
        Case(#"[{"a":1},{"a":2}]"#, #"[{"a":1},{"a":null}]"#, "~ $[*].a: number → number or null"),
        Case(#"[{"a":1,"b":2},{"a":1}]"#, #"[{"a":1},{"a":1}]"#, "- value $[0].b: 2"),
        Case(#"[{"a":1,"b":2}]"#, #"[{"a":1}]"#, "- $[*].b: number"),
        Case(#"[{"a":1}]"#, #"[{"a":1,"c":true}]"#, "+ $[*].c: boolean"),
        Case(#"{"l":[{"a":[1]}]}"#, #"{"l":[{"a":["x"]}]}"#, "~ $.l[*].a[*]: number → string"),
    ])
    func `items of a list have one shape together`(_ sample: Case) {
        #expect(Self.lines(Self.take(sample.old), Self.take(sample.new)) == sample.told)
    }

    @Test func `a member that only some items have left is reported once, and so are its values`() {
        let old = Self.take(#"[{"a":1},{"a":2}]"#)
        let new = Self.take(#"[{"a":1},{"b":2}]"#)
        let lines = Self.lines(old, new)
        #expect(lines.contains("~ $[*].a: always there → sometimes there"))
        #expect(lines.contains("+ $[*].b: number"))
    }

    @Test func `ignored places are not reported`() throws {
        let rules = MatchingRules(
            ignoredHeaders: ["X-Trace"],
            ignoredJSON: [try JSONPath("$..at"), try JSONPath("$.id")]
        )
        let old = Self.take(#"{"id":1,"l":[{"at":"x","n":1}]}"#, headers: [HeaderField("x-trace", "1")])
        let new = Self.take(#"{"id":"z","l":[{"at":7,"n":1}]}"#, headers: [])
        #expect(Self.lines(old, new, ignoring: rules) == [])
    }

    @Test func `shapes come before values, and of very many values the first hundred`() {
        let numbers = { (offset: Int) in "[" + (0..<500).map { String($0 + offset) }.joined(separator: ",") + "]" }
        let old = Self.take(#"{"n":"# + numbers(0) + #","s":"x"}"#)
        let new = Self.take(#"{"n":"# + numbers(1) + #","s":1}"#)
        let found = TakeComparison.differences(old, new)
        #expect(found.first?.summary == "~ $.s: string → number")
        #expect(found.count == 1 + TakeComparison.valueLimit)
    }

    // MARK: Status, header fields, other bodies

    @Test func `a status is a shape, and so is a fault in its place`() {
        #expect(Self.lines(Self.take("1"), Self.take("1", status: 404)) == ["~ status: 200 → 404"])
        let fault = Take(fault: .connectionRefused)
        #expect(Self.lines(Self.take("1"), fault) == ["~ status: 200 → fault connectionRefused"])
        #expect(Self.lines(fault, fault) == [])
        let early = Take(fault: .streamReset, faultOptions: FaultOptions(code: .cancel, after: .bytes(5)))
        let late = Take(fault: .streamReset, faultOptions: FaultOptions(code: .cancel, after: .bytes(9)))
        #expect(
            Self.lines(early, late)
                == ["~ status: fault streamReset CANCEL after 5 bytes → fault streamReset CANCEL after 9 bytes"]
        )
    }

    @Test func `names of header fields are shapes, their contents are values`() {
        let old = Take(headers: [HeaderField("ETag", "1"), HeaderField("X-Rate", "5"), HeaderField("Date", "x")])
        let new = Take(headers: [HeaderField("x-rate", "6"), HeaderField("Link", "<a>"), HeaderField("Date", "y")])
        #expect(Self.lines(old, new) == ["- header etag", "+ header link", "~ value header x-rate: 5 → 6"])
    }

    @Test func `fields of gateways are values`() {
        let old = Take(headers: [HeaderField("CF-Ray", "1"), HeaderField("Via", "a")])
        let kinds = TakeComparison.differences(old, Take(headers: [HeaderField("X-Cache", "HIT")])).map(\.kind)
        #expect(kinds == [.value, .value, .value])
    }

    @Test func `fields of one name are compared together, in any order and case`() {
        let old = Take(headers: [HeaderField("Link", "a"), HeaderField("B", "1"), HeaderField("link", "b")])
        let new = Take(headers: [HeaderField("b", "1"), HeaderField("LINK", "a"), HeaderField("Link", "b")])
        #expect(Self.lines(old, new) == [])
    }

    @Test func `another media type is a change of shape, its spelling is not`() {
        #expect(
            Self.lines(Self.text("x", type: "text/plain; charset=UTF-8"), Self.text("x", type: "text/html")).first
                == "~ header content-type: text/plain; charset=UTF-8 → text/html"
        )
        let found = TakeComparison.differences(
            Self.text("x", type: "text/plain;charset=utf-8"),
            Self.text("x", type: "text/plain; charset=UTF-8")
        )
        #expect(found.allSatisfy { $0.kind == .value })
    }

    @Test func `a change from JSON to text is a shape, a change of other text is a value`() {
        let html = Self.text("<p>", type: "application/json")
        #expect(Self.lines(Self.take("{}"), html) == ["~ body: JSON → text"])
        #expect(Self.lines(Self.text("a"), Self.text("b")) == [#"~ value body: "a" → "b""#])
        #expect(Self.lines(Self.text("a"), Take(headers: Self.text("a").headers)) == ["- body: text"])
    }

    @Test func `the layout of JSON and its content coding do not count`() {
        var packed = Self.take("{ \"a\" : 1 }")
        packed.headers.append(HeaderField("Content-Encoding", "gzip"))
        #expect(TakeComparison.differences(Self.take(#"{"a":1}"#), packed).allSatisfy { $0.place.hasPrefix("header") })
    }

    @Test func `a body in a file is the same as one of the same name`() {
        let take = { (name: String) in Take(body: .file(BodyFile(name: name, path: "/x/\(name)", size: 9))) }
        #expect(Self.lines(take("x/a-1.bin"), take("x/a-1.bin")) == [])
        #expect(Self.lines(take("x/a-1.bin"), take("x/a-2.bin")).count == 1)
    }
}
