import TapedeckCassettes
import TapedeckCore
import Testing

/// The first recording into a manual cassette without sets.
@Suite
struct FirstSetsTests {
    @Test func anEmptyListIsFilled() throws {
        let set = """
              - name: GET a.test/a
                request:
                  method: GET
                  url: https://a.test/a
                variants:
                  - name: recorded
                    takes:
                      - status: 200
                        recorded: '2026-11-21T10:00:00Z'
                        body:
                          text: a

            """
        let head = "tapedeck: 1   # kept\nabout: mine\n"
        for (list, written) in [
            ("responseSets: []\n", "responseSets:\n\(set)"), ("responseSets:\n", "responseSets:\n\(set)"),
            ("responseSets: [ ]   # none\n\n# end", "responseSets:   # none\n\(set)\n# end\n"),
            ("", "responseSets:\n\(set)"), ("# end", "# end\nresponseSets:\n\(set)"),
            ("responseSets:\ndelay: 1s\n", "responseSets:\n\(set)delay: 1s\n"),
        ] {
            let fixture = try CassetteFixture(head + list)
            try fixture.record([.made(1, "GET", "/a", text: "a")])
            #expect(try fixture.text == head + written)
        }
        let flow = try CassetteFixture("{tapedeck: 1, about: mine}\n")
        try flow.record([.made(1, "GET", "/a", text: "a")])
        #expect(try flow.text == "tapedeck: 1\nabout: mine\nresponseSets:\n\(set)")
    }
}
