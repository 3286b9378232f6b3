import Testing

@testable import TapedeckCore

@Suite
struct NearMissesTests {
    private func nearest(_ method: String, _ url: String, _ sets: [ResponseSet]) throws -> [UnmatchedReport.NearMiss] {
        NearMisses(tape: Tape([Samples.cassette(sets)])).find(try Samples.line(method, url))
    }

    @Test func nearerComesFirst() throws {
        // In the order in which they are near to POST https://example.com/users/1?page=2.
        let ordered = try [
            Samples.set("body", "POST", "https://example.com/users/1?page=2", body: Samples.text("x")),
            Samples.set("method", "GET", "https://example.com/users/1?page=2"),
            Samples.set("query", "POST", "https://example.com/users/1?page=3"),
            Samples.set("method and query", "GET", "https://example.com/users/1"),
            Samples.set("scheme", "POST", "http://example.com/users/1?page=2"),
            Samples.set("last part", "POST", "https://example.com/users/2?page=2"),
            Samples.set("more of the path", "POST", "https://example.com/users"),
            Samples.set("another path", "POST", "https://example.com/repositories/42"),
        ]
        for first in ordered.indices {
            let rest = Array(ordered[first...].reversed())
            let found = try self.nearest("POST", "https://example.com/users/1?page=2", rest)
            #expect(found.map(\.set) == ordered[first...].prefix(3).map(\.name))
        }
    }

    @Test func setsOfOtherHostsAreNone() throws {
        let sets = try [
            Samples.set("other host", "GET", "https://example.org/a"),
            Samples.set("subdomain", "GET", "https://www.example.com/a"),
            Samples.set("port", "GET", "https://example.com:8443/a"),
        ]
        let found = try self.nearest("GET", "https://example.com/a", sets)
        #expect(found.map(\.set) == ["port"])
        #expect(found[0].differences == ["origin is https://example.com, the tape has https://example.com:8443"])
    }

    @Test func amongEqualsFileOrderDecides() throws {
        let sets = try ["x", "y", "z", "w"].map { try Samples.set($0, "GET", "https://example.com/a?q=\($0)") }
        #expect(try self.nearest("GET", "https://example.com/a", sets).map(\.set) == ["x", "y", "z"])
    }

    @Test(
        arguments: [
            ("DELETE", "/a?q=1&r=2", ["method is DELETE, the tape has GET"]),
            ("GET", "/b?q=1&r=2", ["path is /b, the tape has /a"]),
            ("GET", "/a?q=1&r=3", ["query r is 3, the tape has 2"]),
            ("GET", "/a?q=1", ["query r is missing"]),
            ("GET", "/a", ["query q is missing", "query r is missing"]),
            ("GET", "/a?q=1&r=2&s=3", ["query s=3 is not on tape"]),
            ("GET", "/a?q=1&r=2&r=3", ["query r is 2, 3, the tape has 2"]),
            (
                "PUT", "/a?q=2",
                ["method is PUT, the tape has GET", "query q is 2, the tape has 1", "query r is missing"]
            ),
        ] as [(String, String, [String])]
    )
    func saysWhatDiffers(_ method: String, _ target: String, _ differences: [String]) throws {
        let set = try Samples.set("a", "GET", "https://example.com/a?q=1&r=2")
        let found = try self.nearest(method, "https://example.com\(target)", [set])
        #expect(found.first?.differences == differences)
    }

    @Test func namesTheBodyOnlyWhenNothingElseDiffers() throws {
        let set = try Samples.set("a", "POST", "https://example.com/a", body: Samples.json("{}"))
        #expect(
            try self.nearest("POST", "https://example.com/a", [set]).first?.differences
                == ["the body differs, the tape has another JSON body"]
        )
        #expect(
            try self.nearest("PUT", "https://example.com/a", [set]).first?.differences
                == ["method is PUT, the tape has POST"]
        )
    }

    @Test func anotherSpellingOfTheSameURLIsNoDifference() throws {
        let set = try Samples.set("a", "POST", "https://example.com/~a?q=%2F&r=1")
        #expect(
            try self.nearest("GET", "https://example.com/%7Ea?r=1&q=%2f", [set]).first?.differences
                == ["method is GET, the tape has POST"]
        )
    }

    @Test func aSetOfAnyMethodDiffersInNone() throws {
        let set = try Samples.set("a", nil, "https://example.com/a?x=1")
        #expect(try self.nearest("BREW", "https://example.com/a", [set]).first?.differences == ["query x is missing"])
    }
}
