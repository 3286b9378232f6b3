import Testing

@testable import TapedeckCore

/// Names and requests of response sets in tables.
@Suite struct SetLabelsTests {
    private static func cells(_ sets: [(name: String, request: String)], sharesOrigin: Bool = true) -> [[String]] {
        let labels = SetLabels(sets, sharesOrigin: sharesOrigin)
        return [[labels.origin ?? "-"]] + sets.indices.map { [labels.name($0), labels.request($0)] }
    }

    @Test func `what all sets share is left out, and no column says what the other says`() {
        let sets = [
            ("GET a.test/users", "GET https://a.test/users?page=1"),
            ("GET a.test/users (2)", "GET https://a.test/users?page=1"), ("POST a.test/", "POST https://a.test/"),
            ("log in", "POST https://a.test/login"), ("GET a.test/users (x", "GET https://a.test/users"),
            ("repositories", "GET https://a.test/repos/{owner}"),
            ("GET a.test/users?page=2", "GET https://a.test/users?page=2"),
        ]
        #expect(
            Self.cells(sets) == [
                ["https://a.test"], ["GET /users", "?page=1"], ["GET /users (2)", "?page=1"], ["POST /", ""],
                ["log in", "POST /login"], ["GET a.test/users (x", "GET /users"],
                ["repositories", "GET /repos/{owner}"], ["GET /users?page=2", ""],
            ]
        )
        #expect(
            Self.cells(sets, sharesOrigin: false)[1...3] == [
                ["GET a.test/users", "?page=1"], ["GET a.test/users (2)", "?page=1"], ["POST a.test/", ""],
            ]
        )
    }

    @Test func `sets of several origins, a single one, and patterns keep their hosts`() {
        let sets = [("GET a.test/x", "GET https://a.test/x"), ("b", "GET http://b.test/x")]
        #expect(Self.cells(sets) == [["-"], ["GET a.test/x", ""], ["b", "GET http://b.test/x"]])
        #expect(Self.cells([sets[1]]) == [["-"], ["b", "GET http://b.test/x"]])
        #expect(
            Self.cells([("any", "any any URL"), ("p", "GET pattern ^/x")])
                == [["-"], ["any", "any any URL"], ["p", "GET pattern ^/x"]]
        )
    }

    @Test func `a path is cut before its end, a sentence at its end`() {
        let rows = [["NAME", "WORDS"], ["GET /api/v2/organizations/acme/users/7", "a long sentence without an end"]]
        let line = TextTable.aligned(rows, width: 40)[1]
        #expect(line.hasPrefix("GET /a…") && line.contains("/users/7  a long sent"), "\(line)")
        #expect(line.hasSuffix("…") && line.count <= 40, "\(line)")
    }
}
