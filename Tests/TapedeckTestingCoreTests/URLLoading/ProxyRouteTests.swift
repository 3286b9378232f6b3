import Foundation
import FoundationNetworking
import TapedeckCore
import TapedeckTestingCore
import Testing

@Suite struct ProxyRouteTests {
    private static let route = ProxyRoute(host: "127.0.0.1", port: 4747, sessionKey: "login-1:a/b")

    @Test func theProxyURLHoldsTheKey() {
        #expect(Self.route.proxyURL == "http://login-1:a%2Fb@127.0.0.1:4747")
        #expect(ProxyRoute(host: "::1", port: 1, sessionKey: "id").proxyURL == "http://id:@[::1]:1")
    }

    @Test(arguments: [
        ("https://api.github.com", "/https/api.github.com"), ("https://api.github.com/", "/https/api.github.com"),
        ("HTTP://a.test:8080/v1?x=1#y", "/http/a.test:8080/v1?x=1"), ("https://[::1]:8443", "/https/[::1]:8443"),
    ])
    func theBaseURLNamesTheOrigin(_ url: String, _ end: String) {
        #expect(Self.route.baseURL(for: url) == "http://127.0.0.1:4747/.tapedeck/login-1%3Aa%2Fb\(end)")
    }

    @Test(arguments: ["", "api.github.com", "ftp://a.test", "https://", "https://user@a.test"])
    func otherURLsHaveNoBaseURL(_ url: String) {
        #expect(Self.route.baseURL(for: url) == nil)
    }

    @Test func theEnvironmentPointsToTheDeckAndItsFilesAreRemoved() throws {
        let trust = TrustFolder(certificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        let environment = try Self.route.environment(
            inheriting: ["HOME": "/home", "no_proxy": "*", "TAPEDECK_SESSION": "other", "REQUEST_METHOD": "GET"],
            trust: trust
        )
        #expect(environment["HOME"] == "/home")
        #expect(environment["https_proxy"] == Self.route.proxyURL)
        #expect(environment["no_proxy"] == "")
        #expect(environment["TAPEDECK_SESSION"] == nil)
        #expect(environment["REQUEST_METHOD"] == nil)
        let bundle = try #require(environment["SSL_CERT_FILE"])
        let authority = try #require(environment["NODE_EXTRA_CA_CERTS"])
        #expect(try String(contentsOfFile: authority, encoding: .utf8).contains("AAAA"))
        #expect(try String(contentsOfFile: bundle, encoding: .utf8).hasSuffix("-----END CERTIFICATE-----\n"))
        let again = try Self.route.environment(inheriting: [:], trust: trust)
        #expect(again["SSL_CERT_FILE"] == bundle)
        trust.remove()
        #expect(!FileManager.default.fileExists(atPath: bundle))
    }

    @Test(arguments: TapedeckCore.URLErrorCode.allCases)
    func everyURLErrorCodeExistsInFoundation(_ name: TapedeckCore.URLErrorCode) {
        let code = Optional(name.rawValue).flatMap { URLError.Code(rawValue: $0) }
        #expect(code != nil)
    }

    @Test func theDeckAndTheClientKnowTheSameURLErrors() {
        #expect(
            Tapedeck.URLErrorName.allCases.map(\.rawValue) == TapedeckCore.URLErrorCode.allCases.map(\.name)
        )
    }

    @Test func theNamesHaveTheCodesOfFoundation() {
        let codes: [(String, URLError.Code)] = [
            ("notConnectedToInternet", .notConnectedToInternet), ("timedOut", .timedOut),
            ("cannotFindHost", .cannotFindHost), ("cannotConnectToHost", .cannotConnectToHost),
            ("networkConnectionLost", .networkConnectionLost), ("dnsLookupFailed", .dnsLookupFailed),
            ("secureConnectionFailed", .secureConnectionFailed), ("dataNotAllowed", .dataNotAllowed),
            ("serverCertificateUntrusted", .serverCertificateUntrusted), ("cancelled", .cancelled),
            ("internationalRoamingOff", .internationalRoamingOff), ("badServerResponse", .badServerResponse),
        ]
        for (name, code) in codes { #expect(TapedeckCore.URLErrorCode(name: name)?.rawValue == code.rawValue) }
    }
}
