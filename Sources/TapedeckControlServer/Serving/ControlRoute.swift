import HTTPTypes
import Hummingbird

/// One way to ask the control API for something.
struct ControlRoute: Sendable {
    let method: HTTPRequest.Method
    /// As the API's description writes it: `/v1/sessions/{id}`.
    let path: String
    /// The media type of bodies that it takes beside JSON, if it does.
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

    /// How many parts of a path are those that the route writes out; `nil` where it is not its path.
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
    /// The methods of the routes that a path leads to, sorted; empty where it leads to none.
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
