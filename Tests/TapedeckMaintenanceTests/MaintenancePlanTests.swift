import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckMaintenance

/// The requests that are made from a cassette.
@Suite struct MaintenancePlanTests {
    private func plan(
        _ sets: String,
        _ change: (inout MaintenanceOptions) -> Void = { _ in }
    ) throws -> MaintenancePlan {
        let text = "tapedeck: 1\nresponseSets:\n" + sets
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        var options = MaintenanceOptions(
            CassetteLocation("x", folder: "cassettes"),
            environment: [:],
            temporaryFolder: "unused"
        )
        change(&options)
        return try MaintenancePlan(result.cassette, options)
    }

    /// One set with one recorded take.
    private static func set(_ request: String, take: String = "", name: String = "s") -> String {
        """
          - name: \(name)
            request: { \(request) }
            variants:
              - name: recorded
                takes:
                  - { status: 200, recorded: '2026-01-01T00:00:00Z'\(take.isEmpty ? "" : ", " + take) }

        """
    }

    private func only(_ plan: MaintenancePlan) throws -> LiveRequest {
        #expect(plan.skipped == [])
        try #require(plan.requests.count == 1)
        return plan.requests[0]
    }

    private func why(_ plan: MaintenancePlan) throws -> String {
        #expect(plan.requests.isEmpty)
        return try #require(plan.skipped.first).why
    }

    @Test func `a recorded request is repeated unchanged`() throws {
        let request = try self.only(try self.plan(Self.set("method: GET, url: 'https://a.test/b?c=d'")))
        #expect(request.method == "GET")
        #expect(request.url.description == "https://a.test/b?c=d")
        #expect(request.headers == [HeaderField("Accept", "*/*")])
        #expect(request.body.isEmpty)
    }

    @Test func `a set for many URLs is requested with the URL of its take`() throws {
        let request = "method: GET, urlTemplate: 'https://a.test/{id}'"
        let take = "request: { url: https://a.test/7, headers: [{ Accept: text/csv }] }"
        let made = try self.only(try self.plan(Self.set(request, take: take)))
        #expect(made.url.description == "https://a.test/7")
        #expect(made.headers == [HeaderField("Accept", "text/csv")])
        #expect(try self.why(try self.plan(Self.set(request))).contains("does not have the requested URL"))
    }

    @Test func `conditions with a value are met, and others are reported`() throws {
        let met = "method: GET, url: https://a.test/, query: { q: 'a b' }, headers: { X-A: '1' }, cookies: { s: t }"
        let request = try self.only(try self.plan(Self.set(met)))
        #expect(request.url.description == "https://a.test/?q=a%20b")
        #expect(request.headers.first(named: "x-a") == "1")
        #expect(request.headers.first(named: "cookie") == "s=t")
        let unmet = "method: GET, url: https://a.test/, query: { q: { present: true } }"
        #expect(try self.why(try self.plan(Self.set(unmet))).contains("its query parameter q is any"))
    }

    @Test func `other methods are sent only if named`() throws {
        let set = Self.set("method: POST, url: https://a.test/, body: { json: '{\"a\":1}' }")
        #expect(try self.why(try self.plan(set)).contains("--methods POST"))
        for methods in [nil, ["POST"]] as [Set<String>?] {
            let request = try self.only(try self.plan(set) { $0.methods = methods })
            #expect(request.method == "POST")
            #expect(request.body == Array(#"{"a":1}"#.utf8))
            #expect(request.headers.first(named: "content-type") == "application/json")
        }
    }

    @Test func `secrets come from the environment, and without them nothing is sent`() throws {
        let take = "request: { headers: [{ Authorization: 'Bearer {{secret.access_token-2}}' }] }"
        let set = Self.set("method: GET, url: 'https://a.test/?key={{secret.key}}'", take: take)
        let why = try self.why(try self.plan(set) { $0.environment["TAPEDECK_SECRET_KEY"] = "k" })
        #expect(why == "it needs the secret access_token-2: give it in TAPEDECK_SECRET_ACCESS_TOKEN_2")
        let plan = try self.plan(set) {
            $0.environment = ["TAPEDECK_SECRET_KEY": "k", "TAPEDECK_SECRET_ACCESS_TOKEN_2": "t"]
        }
        let request = try self.only(plan)
        #expect(request.url.description == "https://a.test/?key=k")
        #expect(request.headers.first(named: "authorization") == "Bearer t")
        #expect(plan.secrets == ["key", "access_token-2"])
    }

    @Test func `a header of the command line takes the place of the recorded one`() throws {
        let take = "request: { headers: [{ authorization: '{{secret.a}}' }] }"
        let plan = try self.plan(Self.set("method: GET, url: https://a.test/", take: take)) {
            $0.headers = [HeaderField("Authorization", "Bearer x")]
        }
        let request = try self.only(plan)
        #expect(request.headers.filter { $0.isNamed("authorization") }.map(\.value) == ["Bearer x"])
    }

    @Test func `a secret that would end its line is not sent`() throws {
        let take = "request: { headers: [{ X-A: '{{secret.a}}' }] }"
        let plan = try self.plan(Self.set("method: GET, url: https://a.test/", take: take)) {
            $0.environment["TAPEDECK_SECRET_A"] = "x\r\nHost: b.test"
        }
        #expect(try self.why(plan).contains("line break"))
    }

    @Test func `manual and failed takes are not requested`() throws {
        let plan = try self.plan(
            """
              - name: by hand
                request: { url: https://a.test/ }
                variants: [{ name: a, takes: [{ status: 200 }] }]
              - name: failed
                request: { url: https://a.test/f }
                variants: [{ name: a, takes: [{ fault: timeout, recorded: '2026-01-01T00:00:00Z' }] }]

            """
        )
        #expect(plan.requests.isEmpty)
        #expect(plan.skipped.map(\.set) == ["by hand", "failed"])
    }

    @Test func `an unknown set is reported with the probable one`() throws {
        let error = try #require(throws: DeckError.self) {
            try self.plan(Self.set("url: https://a.test/", name: "users")) { $0.sets = ["user"] }
        }
        #expect(error.kind == .badOption)
        #expect(error.description.contains("did you mean \"users\"?"))
    }

    @Test(arguments: ["", "x", ": y", "a b: c", "a: b\nc: d", "Host: x", "content-length: 1"])
    func `an invalid header field is refused`(_ text: String) {
        #expect(throws: DeckError.self) { try MaintenanceOptions.header(text) }
    }

    @Test func `a header field is taken apart at its first colon`() throws {
        #expect(try MaintenanceOptions.header("X-A:  b: c ") == HeaderField("X-A", "b: c"))
    }
}
