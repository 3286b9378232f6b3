import HTTPTypes
import Hummingbird

/// One route of the control API.
struct ControlRoute: Sendable {
    let method: HTTPRequest.Method
    /// As the API's description writes it: `/v1/sessions/{id}`.
    let path: String
    /// The media type of bodies that it accepts in addition to JSON, if any.
    let bodyType: String?
    let answer: @Sendable (Call) async throws -> Response

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        taking bodyType: String? = nil,
        _ answer: @escaping @Sendable (Call) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.bodyType = bodyType
        self.answer = answer
    }

    /// Returns the number of literal path parts of a matching route, or `nil` if the path does not match.
    fileprivate func fit(_ parts: [Substring]) -> Int? {
        let own = self.path.split(separator: "/")
        guard own.count == parts.count else { return nil }
        var written = 0
        for (wanted, came) in zip(own, parts) {
            if wanted == came {
                written += 1
            } else if wanted.first != "{" {
                return nil
            }
        }
        return written
    }
}

extension [ControlRoute] {
    /// Returns the methods of the routes for a path, sorted; empty for an unknown path.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        let found = self.map { (route: $0, fit: $0.fit(parts)) }
        // A written name goes before a parameter, as in the router.
        guard let best = found.compactMap(\.fit).max() else { return [] }
        var methods = Set(found.filter { $0.fit == best }.map(\.route.method.rawValue))
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted()
    }
}
