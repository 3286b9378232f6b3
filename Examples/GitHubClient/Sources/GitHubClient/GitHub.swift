import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of a few routes of the GitHub API, as an app would have one.
public struct GitHub: Sendable {
    public struct User: Codable, Sendable, Equatable {
        public var login: String
        public var name: String?
    }

    public struct Run: Codable, Sendable, Equatable {
        public var id: Int
        public var status: String
    }

    public enum Failure: Error, Equatable {
        case invalidCredentials
        case rateLimited(retryAfter: Int)
        case status(Int)
    }

    private let session: URLSession
    private let api: String

    /// - Parameters:
    ///   - session: what sends the requests: an app's own, or that of a test.
    ///   - api: where the API is.
    public init(session: URLSession = .shared, api: String = "https://api.github.com") {
        self.session = session
        self.api = api
    }

    /// Exchanges a password for a token.
    public func login(_ name: String, password: String) async throws -> String {
        struct Answer: Decodable { var token: String }
        let answer: Answer = try await self.send("POST", "/login", ["login": name, "password": password])
        return answer.token
    }

    public func user(_ login: String) async throws -> User {
        try await self.send("GET", "/users/\(login)")
    }

    /// Asks again and again until a run has ended.
    public func finishedRun(_ id: Int) async throws -> Run {
        while true {
            let run: Run = try await self.send("GET", "/runs/\(id)")
            if run.status == "completed" { return run }
        }
    }

    /// The URL of a path of the API.
    func url(_ path: String) -> URL? { URL(string: self.api + path) }

    /// That of the session, for those with a delegate of their own.
    var configuration: URLSessionConfiguration { self.session.configuration }

    private func send<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: [String: String]? = nil
    ) async throws -> Answer {
        guard let url = self.url(path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONEncoder().encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await self.session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        switch response.statusCode {
        case 200..<300: return try JSONDecoder().decode(Answer.self, from: data)
        case 401: throw Failure.invalidCredentials
        case 403, 429:
            throw Failure.rateLimited(retryAfter: Int(response.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 60)
        default: throw Failure.status(response.statusCode)
        }
    }
}
