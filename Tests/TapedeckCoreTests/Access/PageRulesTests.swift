import TapedeckCore
import Testing

/// The rules that tell a web page's requests from a program's.
@Suite struct PageRulesTests {
    private static func refusal(
        host: String? = "127.0.0.1:4747",
        origin: String? = nil,
        site: String? = nil,
        _ change: (inout PageRules) -> Void = { _ in }
    ) -> PageRules.Refusal? {
        var rules = PageRules()
        rules.takesLoopbackPages = true
        change(&rules)
        return rules.refusal(PageRules.Visitor(host: host, origin: origin, fetchSite: site))
    }

    @Test(arguments: ["127.0.0.1", "localhost:4747", "LocalHost:80", "[::1]:4747", "127.9.8.7:1"])
    func `a host of this machine is accepted, by any port`(_ host: String) {
        #expect(Self.refusal(host: host) == nil)
    }

    @Test(arguments: ["evil.example:4747", "localhost.evil.example", "127.0.0.1.evil.example", "127.1", "0.0.0.0", ""])
    func `another host is refused, also without other signs of a browser`(_ host: String) {
        #expect(Self.refusal(host: host) == .wrongHost)
    }

    @Test func `a name that leads to the deck on purpose is accepted`() {
        #expect(Self.refusal(host: "Deck.test:4747") { $0.names = ["deck.test"] } == nil)
        #expect(Self.refusal(host: "other.test:4747") { $0.names = ["deck.test"] } == .wrongHost)
        #expect(Self.refusal(host: "any.example") { $0.takesAnyName = true } == nil)
    }

    @Test func `a request without a host is accepted`() {
        #expect(Self.refusal(host: nil) == nil)
    }

    @Test(arguments: [
        "http://evil.example", "https://127.0.0.1.evil.example", "null", "", "http://localhost@evil.example",
    ])
    func `a page of another origin is refused`(_ origin: String) {
        #expect(Self.refusal(origin: origin) == .foreignPage)
        #expect(Self.refusal(origin: origin, site: "same-origin") == .foreignPage)
    }

    @Test func `a page from this machine is accepted if the rules permit it, by its Origin only`() {
        #expect(Self.refusal(origin: "http://localhost:3000", site: "cross-site") == nil)
        #expect(Self.refusal(site: "same-site") == .foreignPage)
        #expect(Self.refusal(origin: "http://localhost:3000") { $0.takesLoopbackPages = false } == .foreignPage)
        #expect(Self.refusal(origin: "http://127.0.0.1:4747") { $0.takesLoopbackPages = false } == nil)
    }

    @Test func `a listed origin is accepted only with its scheme and port`() throws {
        let listed = try #require(Origin("http://app.test:3000"))
        #expect(Self.refusal(origin: "http://app.test:3000") { $0.origins = [listed] } == nil)
        #expect(Self.refusal(origin: "https://app.test:3000") { $0.origins = [listed] } == .foreignPage)
        #expect(Self.refusal(origin: "http://app.test") { $0.origins = [listed] } == .foreignPage)
    }

    @Test func `a cross-origin request of a page is rejected, and the user's own is accepted`() {
        #expect(Self.refusal(site: "cross-site") == .foreignPage)
        #expect(Self.refusal(site: "same-site") == .foreignPage)
        #expect(Self.refusal(site: "same-origin") == nil)
        #expect(Self.refusal(site: "none") == nil)
    }
}
