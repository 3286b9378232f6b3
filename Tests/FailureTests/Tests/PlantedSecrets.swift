import Foundation
import TapedeckTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Secrets in every place of requests and responses that texts about a failing test are made of.
struct PlantedSecrets {
    /// Names the secrets of a run, so that the parent of a process knows them.
    static let variable = "TAPEDECK_PLANTED"

    let query: String
    let otherQuery: String
    let header: String
    let bearer: String
    let cookie: String
    let jsonPassword: String
    let formSecret: String
    let answerToken: String
    let answerCookie: String
    let thrown: String
    let held: String
    let expected: String

    init(seed: String) {
        var state = seed.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
        func draw() -> String {
            let drawn = (0..<28).map { _ -> Character in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return letters[Int(state >> 33) % letters.count]
            }
            return String(drawn)
        }
        self.query = draw()
        self.otherQuery = draw()
        self.header = draw()
        self.bearer = draw()
        self.cookie = draw()
        self.jsonPassword = draw()
        self.formSecret = draw()
        self.answerToken = draw()
        self.answerCookie = draw()
        self.thrown = draw()
        self.held = draw()
        self.expected = draw()
    }

    /// Those of this process's run.
    static var current: PlantedSecrets { PlantedSecrets(seed: getenv(self.variable).map { String(cString: $0) } ?? "") }

    var all: [String: String] {
        let values = Mirror(reflecting: self).children.map { ($0.label ?? "", "\($0.value)") }
        return Dictionary(uniqueKeysWithValues: values)
    }

    /// Exchanges all of them, in ways that the end of the test complains of.
    ///
    /// - Returns: what a test may print of them, as `print`, `dump` and a failed decoding write it.
    func exchange(_ deck: Tapedeck) async throws -> [String] {
        deck.expect(.get("http://shop.example/me?api_key=\(self.expected)"), .exactly(2))
        let answer = Tapedeck.Answer.text("{\"access_token\": \"\(self.answerToken)\"}")
            .header("Content-Type", "application/json")
            .header("Set-Cookie", "session=\(self.answerCookie)")
        try await deck.stub(.post(pattern: "/login.*"), answer)
        let price = "http://shop.example/price?currency=EUR"
        try await deck.stub(.get(pattern: "/broken.*")) { [thrown] _ in
            throw Shop.Trouble(text: "\(price)&api_key=\(thrown)")
        }
        let holding = try await deck.hold(.get(pattern: "/held.*"))
        try await Shop.ask(
            "POST",
            "http://shop.example/login?api_key=\(self.query)",
            headers: [
                "Authorization: Bearer \(self.bearer)", "X-Api-Key: \(self.header)", "Cookie: session=\(self.cookie)",
                "Content-Type: application/json",
            ],
            body: "{\"user\": \"ada\", \"password\": \"\(self.jsonPassword)\"}",
            deck
        )
        try await Shop.ask(
            "POST",
            "http://shop.example/unknown?token=\(self.otherQuery)",
            headers: ["Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials&client_secret=\(self.formSecret)",
            deck
        )
        try await Shop.get("http://shop.example/broken?api_key=\(self.thrown)", deck)
        let url = "http://shop.example/held?api_key=\(self.held)"
        Task.detached { try? await Shop.get(url, deck) }
        let held = try await holding.next()
        try? await deck.waitFor(.get("http://shop.example/me?api_key=\(self.expected)"), timeout: .milliseconds(1))
        try? await deck.expectQuiet(for: .milliseconds(1))
        let seen = try await deck.requests()
        var dumped = ""
        dump(seen, to: &dumped)
        dump(held, to: &dumped)
        var texts = ["\(seen) \(held)", String(reflecting: seen.map(\.request)), dumped]
        for exchange in seen {
            do { _ = try exchange.request.json(as: Int.self) } catch { texts.append("\(error)") }
            do { _ = try exchange.response?.json(as: Int.self) } catch { texts.append("\(error)") }
        }
        return texts
    }
}
