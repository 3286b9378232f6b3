/// One route of the control API.
struct ControlRoute: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    /// As the API's description writes it: `/v1/sessions/{id}`.
    let path: String
    /// The media type of bodies that it accepts in addition to JSON, if any.
    let bodyType: String?
    let answer: @Sendable (Call) async throws -> Response
    private let parts: [Substring]

    init(
        _ method: Method,
        _ path: String,
        taking bodyType: String? = nil,
        _ answer: @escaping @Sendable (Call) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.bodyType = bodyType
        self.answer = answer
        self.parts = path.split(separator: "/")
    }

    /// Returns the number of literal path parts of a matching route, or `nil` if the path does not match.
    fileprivate func fit(_ parts: [Substring]) -> Int? {
        guard self.parts.count == parts.count else { return nil }
        var written = 0
        for (wanted, came) in zip(self.parts, parts) {
            if wanted == came {
                written += 1
            } else if wanted.first != "{" {
                return nil
            }
        }
        return written
    }

    /// The values of the parts in braces.
    fileprivate func parameters(_ parts: [Substring]) -> [String: Substring] {
        var values: [String: Substring] = [:]
        for (wanted, came) in zip(self.parts, parts) where wanted.first == "{" {
            values[String(wanted.dropFirst().dropLast())] = came
        }
        return values
    }
}

extension [ControlRoute] {
    /// The routes for a path: a written name goes before a parameter.
    private func all(at parts: [Substring]) -> [ControlRoute] {
        let found = self.compactMap { route in route.fit(parts).map { (route: route, fit: $0) } }
        guard let best = found.map(\.fit).max() else { return [] }
        return found.filter { $0.fit == best }.map(\.route)
    }

    /// Finds the route of a request, and the parameters in its path. A HEAD is answered as a GET, without the body.
    func route(_ method: String, at path: String) -> (ControlRoute, [String: Substring])? {
        let parts = path.split(separator: "/")
        let method = method == "HEAD" ? "GET" : method
        return self.all(at: parts).first { $0.method.rawValue == method }.map { ($0, $0.parameters(parts)) }
    }

    /// Returns the methods of the routes for a path, sorted; empty for an unknown path.
    func methods(at path: String) -> [String] {
        var methods = Set(self.all(at: path.split(separator: "/")).map(\.method.rawValue))
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted()
    }
}
