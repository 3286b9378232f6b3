import TapedeckCassettes
import TapedeckCore
import Testing

/// Settings of a whole cassette or set, as a person may write them.
@Suite
struct CassetteSettingsTests {
    private static let sets = """
        responseSets:
          - name: s
            request:
              url: https://a.test/
            variants:
              - name: good
                fault: timeout
              - name: bad
                fault: timeout

        """

    private func read(_ lines: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> Cassette {
        let text = "tapedeck: 1\n\(lines)\n\(Self.sets)"
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)", sourceLocation: sourceLocation)
        return result.cassette
    }

    @Test func aCassetteHasMatchingRules() throws {
        #expect(try self.read("match: [method, path]").matching == MatchingRules(parts: [.method, .path]))
        let rules = try self.read("ignore: { query: [ts], headers: [Date, 'X-Id'], json: [$.at] }").matching
        #expect(
            rules
                == MatchingRules(
                    ignoredQuery: ["ts"],
                    ignoredHeaders: ["Date", "X-Id"],
                    ignoredJSON: [try JSONPath("$.at")]
                )
        )
        #expect(try self.read("ignore: {}").matching == MatchingRules())
    }

    @Test func takesMayHaveAMaximumAge() throws {
        let month = try TimeSpan("30d")
        #expect(try self.read("maxAge: 30d").maxAge == MaxAge(month))
        #expect(try self.read("maxAge: { after: 30d }").maxAge == MaxAge(month, then: .warn))
        #expect(try self.read("maxAge: { after: 30d, then: fail }").maxAge == MaxAge(month, then: .fail))
        for text in ["maxAge: 30d\n", "maxAge: { after: 2w, then: fail }\n"] {
            let written = String(decoding: CassetteWriter.text(of: try self.read(text)), as: UTF8.self)
            #expect(written.contains(text))
        }
    }

    @Test func datesMayMove() throws {
        let path = try JSONPath("$.at")
        #expect(try self.read("time: shift").time == TimeRules(shifts: true))
        #expect(try self.read("time: { shift: true }").time == TimeRules(shifts: true))
        #expect(try self.read("time: { json: [$.at] }").time == TimeRules(shifts: true, jsonDates: [path]))
        #expect(
            try self.read("time: { shift: false, json: [$.at] }").time == TimeRules(shifts: false, jsonDates: [path])
        )
        #expect(try self.read("time: {}").time == TimeRules())
    }

    @Test func delayAndStateHoldForAll() throws {
        #expect(try self.read("delay: { recorded: 1 }").delay == .recorded(factor: 1))
        #expect(try self.read("state: { user: '', n: 1 }").state == [StateEntry("user", ""), StateEntry("n", "1")])
    }

    @Test func profilesChooseVariants() throws {
        let profiles = """
            profiles:
              all bad: { "*": bad, HTTPS://A.test:443: offline, s: good }
              none: {}
              slow: { s: slow }
            """
        #expect(
            try self.read(profiles).profiles == [
                Profile(
                    name: "all bad",
                    choices: [
                        Profile.Choice(.all, "bad"),
                        Profile.Choice(.origin(Origin(scheme: .https, host: "a.test")), "offline"),
                        Profile.Choice(.set("s"), "good"),
                    ]
                ),
                Profile(name: "none", choices: []),
                Profile(name: "slow", choices: [Profile.Choice(.set("s"), "slow")]),
            ]
        )
    }

    @Test func aSetHasAPlaceAndAState() throws {
        let lines = "priority: -3\nrequires: { cart: full, user: null }\nsets: { cart: null }\nselected: c"
        let variants = "variants: [{ name: b, fault: timeout }, { name: c, fault: timeout }]"
        let text = CassetteText.sets("name: a\n\(lines)\n\(variants)\nrequest: { url: /x }")
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "test.yaml")
        #expect(result.diagnostics.isEmpty)
        let set = try #require(result.cassette.responseSets.first)
        #expect(set.priority == -3)
        #expect(set.requires == [StateEntry("cart", "full"), StateEntry("user", nil)])
        #expect(set.sets == [StateEntry("cart", nil)])
        #expect(set.selected == "c")
        #expect(set.defaultVariant == 1)
    }
}
