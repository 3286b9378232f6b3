import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// Takes that replace older ones, and everything that stays.
@Suite struct RenewalTests {
    private static let text = """
        # Kept.
        tapedeck: 1
        maxAge: { after: 30d, then: fail }   # as long as a sprint
        responseSets:
          - name: users
            request: { method: GET, url: https://a.test/users }
            variants:
              - name: down   # by hand
                takes:
                  - status: 503
              - name: recorded
                takes:
                  # The first page.
                  - status: 200
                    recorded: '2026-01-01T00:00:00Z'
                    request:
                      headers:
                        - X-Api-Key: '{{secret.key}}'
                    body: { text: one }
                  # Hard to get.
                  - fault: connectionReset
                    recorded: '2026-01-01T00:00:00Z'
                  - status: 200
                    recorded: '2026-01-01T00:00:00Z'
                    body: { text: two }
                  - status: 429
                    body: { text: by hand }
          - name: others
            request: { method: GET, url: https://a.test/others }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    recorded: '2026-01-01T00:00:00Z'
                    body: { text: old }

        """

    private func renew(
        _ fixture: CassetteFixture,
        _ takes: [(set: Int, take: Int, text: String)]
    ) throws
        -> CassetteStore.Saved
    {
        let source = try fixture.store.check(fixture.location).source
        let renewed = takes.enumerated().map { number, take in
            RenewedTake(set: take.set, take: take.take, exchange: .made(number + 1, "GET", "/users", text: take.text))
        }
        let lock = try fixture.store.lock(fixture.location)
        defer { fixture.store.unlock(lock, of: fixture.location) }
        return try fixture.store.renew(
            renewed,
            journal: fixture.folder.path,
            in: fixture.location,
            reading: source,
            holding: lock
        )
    }

    @Test func `only the requested takes change, and only their lines`() throws {
        let fixture = try CassetteFixture(Self.text)
        let saved = try self.renew(fixture, [(0, 2, "TWO")])
        #expect(saved == CassetteStore.Saved(exchanges: 1, changed: true))
        let before = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = try fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
            .difference(from: before)
        #expect(difference.removals.count == 2)
        #expect(try fixture.bodies(of: "users") == ["one", "", "TWO", "by hand"])
        #expect(try fixture.bodies(of: "others") == ["old"])
    }

    @Test func `a take's request stays`() throws {
        let fixture = try CassetteFixture(Self.text)
        _ = try self.renew(fixture, [(0, 0, "ONE"), (1, 0, "new")])
        let cassette = try fixture.load()
        let take = cassette.responseSets[0].variants[1].takes[0]
        #expect(take.request?.headers == [HeaderField("X-Api-Key", "{{secret.key}}")])
        #expect(take.recorded != "2026-01-01T00:00:00Z")
        #expect(try fixture.bodies(of: "users") == ["ONE", "", "two", "by hand"])
        #expect(try fixture.bodies(of: "others") == ["new"])
        for kept in ["# Kept.", "# as long as a sprint", "# by hand", "# The first page.", "# Hard to get."] {
            #expect(try fixture.text.contains(kept), "\(kept)")
        }
    }

    @Test func `a cassette that has changed meanwhile is not overwritten`() throws {
        let fixture = try CassetteFixture(Self.text)
        let source = try fixture.store.check(fixture.location).source
        let changed = Self.text.replacing("body: { text: old }", with: "body: { text: newer }")
        try fixture.folder.write(changed, to: "api.yaml")
        let lock = try fixture.store.lock(fixture.location)
        let error = try #require(throws: CassetteError.self) {
            try fixture.store.renew(
                [RenewedTake(set: 1, take: 0, exchange: .made(text: "x"))],
                journal: fixture.folder.path,
                in: fixture.location,
                reading: source,
                holding: lock
            )
        }
        #expect(error.description.contains("has changed meanwhile"))
        #expect(try fixture.text == changed)
    }

    @Test func `a body that goes to a file takes the place of the old file`() throws {
        let fixture = try CassetteFixture(Self.text)
        _ = try self.renew(fixture, [(1, 0, String(repeating: "long\n", count: 20_000))])
        #expect(fixture.bodyFiles.count == 1)
        let first = fixture.bodyFiles
        _ = try self.renew(fixture, [(1, 0, String(repeating: "more\n", count: 20_000))])
        #expect(fixture.bodyFiles.count == 1)
        #expect(fixture.bodyFiles != first)
    }
}
