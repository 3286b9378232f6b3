import TapedeckControlAPI
import Testing

@testable import TapedeckControlServer

/// The access rules of a deck, without a server.
@Suite struct AccessRulesTests {
    private static func refusal(
        _ method: String = "GET",
        _ path: String = "/v1/deck",
        token: String? = nil,
        _ change: (inout AccessRules.Visitor) -> Void = { _ in }
    ) -> String? {
        var visitor = AccessRules.Visitor(method, path)
        visitor.host = "127.0.0.1:4748"
        change(&visitor)
        let refusal = AccessRules(port: 4748, token: token).refusal(visitor)
        return refusal.map { "\($0.model.status) \($0.model.type.split(separator: "/").last ?? "")" }
    }

    @Test(arguments: ["127.0.0.1:4748", "localhost:4748", "LOCALHOST:4748", "127.8.9.10:4748", "[::1]:4748"])
    func aHostOfThisMachineIsAccepted(_ host: String) {
        #expect(Self.refusal { $0.host = host } == nil)
    }

    @Test(arguments: [
        "evil.example:4748", "evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:4749",
        "127.0.0.1.evil.example:4748",
        "127.evil.example:4748", "localhost.evil.example:4748", "[::2]:4748", "0.0.0.0:4748", "192.168.0.7:4748",
        "tapedeck.local:4748", "127.1:4748", "127.0.0.+1:4748", "127.0.0.1:4748:4748", "user@127.0.0.1:4748", "",
    ])
    func anotherHostIsRejected(_ host: String) {
        #expect(Self.refusal { $0.host = host } == "403 wrong-host")
    }

    @Test func aConfiguredNameOfTheDeckIsAccepted() {
        var visitor = AccessRules.Visitor("GET", "/v1/deck")
        visitor.host = "deck.test:4748"
        #expect(AccessRules(port: 4748, token: nil, names: ["deck.test"]).refusal(visitor) == nil)
        visitor.origin = "http://localhost:3000"
        #expect(AccessRules(port: 4748, token: nil, names: ["deck.test"]).refusal(visitor) != nil)
    }

    @Test func aRequestWithoutAHostIsRejected() {
        #expect(Self.refusal { $0.host = nil } == "400 bad-request")
    }

    @Test(arguments: ["http://127.0.0.1:4748", "HTTP://127.0.0.1:4748"])
    func theDecksOwnPageIsAccepted(_ origin: String) {
        #expect(Self.refusal("DELETE") { $0.origin = origin } == nil)
    }

    @Test(arguments: [
        "http://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:8080", "https://127.0.0.1:4748",
        "http://localhost:4748", "http://127.0.0.1:4748.evil.example",
    ])
    func pagesOfOtherSitesAreRejected(_ origin: String) {
        #expect(Self.refusal { $0.origin = origin } == "403 foreign-origin")
        #expect(Self.refusal("POST") { $0.origin = origin } == "403 foreign-origin")
        #expect(Self.refusal("GET", "/") { $0.origin = origin } == "403 foreign-origin")
        #expect(Self.refusal(token: "secret") { $0.origin = origin } == "403 foreign-origin")
    }

    @Test(arguments: ["cross-site", "same-site"])
    func aCrossSiteBrowserRequestIsRejected(_ site: String) {
        #expect(Self.refusal { $0.fetchSite = site } == "403 foreign-origin")
        #expect(Self.refusal("GET", "/page.js") { $0.fetchSite = site } == "403 foreign-origin")
    }

    @Test(arguments: ["same-origin", "none", nil])
    func aSameOriginOrUserInitiatedBrowserRequestIsAccepted(_ site: String?) {
        #expect(Self.refusal { $0.fetchSite = site } == nil)
    }

    @Test(arguments: ["/", "/trust"])
    func aLinkOnAnotherSiteMayOpenThePage(_ path: String) {
        let follow: (inout AccessRules.Visitor) -> Void = { visitor in
            visitor.fetchSite = "cross-site"
            visitor.fetchMode = "navigate"
            visitor.fetchDestination = "document"
        }
        #expect(Self.refusal("GET", path, follow) == nil)
        #expect(Self.refusal("POST", path, follow) == "403 foreign-origin")
        #expect(Self.refusal("GET", "/v1/deck", follow) == "403 foreign-origin")
        let frame = Self.refusal("GET", path) { visitor in
            follow(&visitor)
            visitor.fetchDestination = "iframe"
        }
        #expect(frame == "403 foreign-origin")
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "application/jsonx", "",
    ])
    func mediaTypesOfFormsAreRejected(_ type: String) {
        let withBody = Self.refusal("POST", "/v1/sessions") { visitor in
            visitor.contentType = type
            visitor.hasBody = true
        }
        #expect(withBody == "415 not-json")
        #expect(Self.refusal("POST", "/v1/sessions") { $0.contentType = type } == "415 not-json")
    }

    @Test func aBodyNeedsAContentType() {
        #expect(Self.refusal("PUT") { $0.hasBody = true } == "415 not-json")
        #expect(Self.refusal("PUT") == nil)
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8"])
    func jsonIsAccepted(_ type: String) {
        let refusal = Self.refusal("POST", "/v1/sessions") { visitor in
            visitor.contentType = type
            visitor.hasBody = true
        }
        #expect(refusal == nil)
    }

    @Test(arguments: ["Bearer secret", "bearer secret"])
    func theTokenAllowsEveryRequest(_ shown: String) {
        #expect(Self.refusal("DELETE", token: "secret") { $0.authorization = shown } == nil)
    }

    @Test(arguments: ["Bearer secre", "Bearer secrets", "Bearer Secret", "Bearer ", "Bearer"])
    func anotherTokenIsRejected(_ shown: String) {
        let refusal = Self.refusal(token: "secret") { $0.authorization = shown }
        #expect(refusal == "401 wrong-token" || refusal == "401 token-needed")
    }

    @Test func onlyPublicPathsAreOpenWithoutTheToken() {
        for path in ["/", "/page.js", "/trust", "/openapi.json", "/v1/health", "/v1/ready", "/v1/ca.pem", "/v1/ca.der"]
        {
            #expect(Self.refusal("GET", path, token: "secret") == nil, "\(path)")
            #expect(Self.refusal("POST", path, token: "secret") == "401 token-needed", "\(path)")
        }
        for path in ["/v1/deck", "/v1/sessions", "/v1/version", "/v1/events", "//", "/v1/health/"] {
            #expect(Self.refusal("GET", path, token: "secret") == "401 token-needed", "\(path)")
        }
        #expect(Self.refusal(token: "secret") { $0.authorization = "Basic c2VjcmV0" } == "401 token-needed")
    }

    @Test func anyHostIsAcceptedWithTheToken() {
        let refusal = Self.refusal(token: "secret") { visitor in
            visitor.host = "deck.internal:9000"
            visitor.origin = "http://deck.internal:9000"
            visitor.authorization = "Bearer secret"
        }
        #expect(refusal == nil)
    }
}
