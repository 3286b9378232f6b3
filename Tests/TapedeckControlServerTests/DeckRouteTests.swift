import TapedeckCassettes
import TapedeckControlAPI
import TapedeckSessions
import Testing

@testable import TapedeckControlServer

/// The deck itself, its cassettes and its page.
@Suite struct DeckRouteTests {
    @Test func theDeckReportsItsStatusAndVersion() async throws {
        try await RunningControl.use { control in
            #expect(try await control.ask(HealthModel.self, "GET", "/v1/health").status == "ok")
            #expect(try await control.ask(HealthModel.self, "GET", "/v1/ready").status == "ok")
            #expect(try await control.ask(VersionModel.self, "GET", "/v1/version") == VersionModel(version: "1.2.3"))
            let deck = try await control.ask(DeckModel.self, "GET", "/v1/deck")
            #expect(deck.controlURL == control.server.url)
            #expect(deck.mode == "replay")
            #expect(deck.name == nil)
            #expect(deck.allowsDialling)
            let pem = try await control.ask("GET", "/v1/ca.pem")
            #expect(pem.text.hasPrefix("-----BEGIN CERTIFICATE-----"))
            #expect(pem.headers["content-type"] == "application/x-pem-file")
            #expect(try await control.ask("GET", "/ca.der").headers["content-type"] == "application/x-x509-ca-cert")
        }
    }

    @Test func theDeckNamesAProxyThatItsClientCanReach() async throws {
        var configuration = ControlConfiguration()
        configuration.token = "secret"
        try await RunningControl.use(configuration) { control in
            let answer = try await control.ask(
                "GET",
                "/v1/deck",
                headers: ["Authorization: Bearer secret"],
                host: "decks.example.com:4748"
            )
            let deck = try answer.decoded(DeckModel.self)
            #expect(deck.proxyURL == "http://decks.example.com:4747")
            #expect(deck.controlURL == "http://decks.example.com:4748")
        }
    }

    @Test func cassettesAreListedReadAndChecked() async throws {
        try await RunningControl.use { control in
            try FileContents.replace(
                "\(control.folder)/broken.yaml",
                with: Array("tapedeck: 1\nresponseSets: [\n".utf8)
            )
            let list = try await control.ask(CassetteList.self, "GET", "/v1/cassettes").cassettes
            #expect(list.map(\.name) == ["broken", "shop"])
            #expect(list.map(\.isPlaying) == [false, true])
            #expect(list.map { $0.problem == nil } == [false, true])
            #expect(list.last?.profiles == ["closed"])
            let json = try await control.ask("GET", "/v1/cassettes/shop")
            #expect(json.text.contains(#""name":"GET shop.test/cart""#))
            let yaml = try await control.ask("GET", "/v1/cassettes/shop", headers: ["Accept: application/yaml"])
            #expect(yaml.text == RunningControl.cassette)
            let good = try await control.ask(CassetteCheckModel.self, "GET", "/v1/cassettes/shop/check")
            #expect(good.isUsable)
            let bad = try await control.ask(CassetteCheckModel.self, "GET", "/v1/cassettes/broken/check")
            #expect(!bad.isUsable)
            #expect(bad.diagnostics.first?.line == 2)
        }
    }

    @Test func aReloadedCassettePlaysItsNewVersion() async throws {
        try await RunningControl.use { control in
            let path = "/v1/cassettes/shop/reload"
            #expect(try await control.ask(CassetteCheckModel.self, "POST", path).changed == false)
            let changed = RunningControl.cassette.replacing("accepted", with: "taken")
            try FileContents.replace("\(control.folder)/shop.yaml", with: Array(changed.utf8))
            #expect(try await control.ask(CassetteCheckModel.self, "POST", path).changed == true)
            let sets = try await control.ask(SetList.self, "GET", "/v1/sessions/default/sets?search=order").sets
            #expect(sets.first?.playing == "taken")
            try FileContents.replace("\(control.folder)/shop.yaml", with: Array("tapedeck: 1\nnothing".utf8))
            let broken = try await control.ask(CassetteCheckModel.self, "POST", path)
            #expect(!broken.isUsable)
            #expect(try control.session.overviews(containing: "", in: 0..<9).total == 2)
        }
    }

    @Test func aRecordingBeginsAndEnds() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/recording"
            #expect(try await control.ask("GET", path).problem == "not-recording")
            #expect(try await control.ask("DELETE", path).problem == "not-recording")
            let begun = try await control.ask("PUT", path, #"{"cassette": "new"}"#)
            #expect(begun.status == 201)
            #expect(try begun.decoded(RecordingModel.self).mode == "append")
            #expect(try await control.ask("PUT", path, #"{"cassette": "other"}"#).status == 409)
            #expect(try await control.ask(RecordingModel.self, "GET", path).exchanges == 0)
            #expect(try await control.ask(SessionModel.self, "GET", "/v1/sessions/default").mode == "append")
            let saved = try await control.ask(RecordingModel.self, "DELETE", path)
            #expect(saved.cassette == "new")
            #expect(saved.changed == false)
            #expect(try await control.ask(SessionModel.self, "GET", "/v1/sessions/default").mode == "replay")
            let wrong = try await control.ask("PUT", path, #"{"cassette": "new", "mode": "replay"}"#)
            #expect(wrong.status == 422)
        }
    }

    @Test func thePageIsCachedAndRevalidated() async throws {
        try await RunningControl.use { control in
            let page = try await control.ask("GET", "/")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
            #expect(page.headers["x-content-type-options"] == "nosniff")
            let tag = try #require(page.headers["etag"])
            let again = try await control.ask("GET", "/", headers: ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            #expect(again.text.isEmpty)
            let trust = try await control.ask("GET", "/trust")
            #expect(!trust.text.contains("{{"))
            #expect(try await control.ask("GET", "/openapi.json").text.hasPrefix("{"))
        }
    }

    @Test func theTrustPageNamesAProxyThatItsReaderCanReach() {
        let url = "http://127.0.0.1:4747"
        #expect(PageRoutes.proxyURL(url, host: "localhost:4748") == url)
        #expect(PageRoutes.proxyURL(url, host: nil) == url)
        #expect(PageRoutes.proxyURL(url, host: "ci.example.com:4748") == "http://ci.example.com:4747")
        #expect(PageRoutes.proxyURL("http://[::1]:4747", host: "[fd00::2]:4748") == "http://[fd00::2]:4747")
        #expect(PageRoutes.proxyURL("http://10.0.0.7:4747", host: "ci.example.com") == "http://10.0.0.7:4747")
    }

    @Test func theTrustSiteNeedsNoScript() {
        let site = PageAssets.trustSite(
            authorityPEM: "pem",
            authorityDER: [0x30],
            expires: "<later>",
            proxyURL: "http://127.0.0.1:4747"
        )
        #expect(site.map(\.path) == ["/", "/ca.pem", "/ca.der", "/page.css", "/icon.svg"])
        let page = String(decoding: site[0].bytes, as: UTF8.self)
        // SHA-256 of the one byte 0x30.
        #expect(page.contains("5F:EC:EB:66:FF:C8:6F:38"))
        #expect(page.contains("&lt;later&gt;"))
        #expect(!page.contains("<script"))
    }
}
