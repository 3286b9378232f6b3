// The code of the article "Your first test"; ArticleTests holds the two together.

import Foundation
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Weather: Decodable, Equatable {
    var city: String
    var degrees: Int
}

struct WeatherClient {
    var session = URLSession.shared

    func today(in city: String) async throws -> Weather {
        let url = URL(string: "https://api.weather.example/today?city=\(city)")
        guard let url else { throw URLError(.badURL) }
        let (data, response) = try await self.session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return try JSONDecoder().decode(Weather.self, from: data)
    }
}

@Suite(.tapedeck(folder: "Fixtures"))
struct WeatherTests {
    @Test(.cassette("weather"))
    func asksForACity() async throws {
        let deck = try Tapedeck.current
        let client = WeatherClient(session: deck.urlSession())

        #expect(try await client.today(in: "Oslo") == Weather(city: "Oslo", degrees: -3))
        deck.expect(.get("/today").query("city", "Oslo"), .exactly(1))
    }

    @Test(.cassette("weather").select("offline", for: "today"))
    func hasNoNetwork() async throws {
        let deck = try Tapedeck.current
        let client = WeatherClient(session: deck.urlSession())

        let error = await #expect(throws: URLError.self) { try await client.today(in: "Oslo") }
        #expect(error?.code == .notConnectedToInternet)
    }
}
