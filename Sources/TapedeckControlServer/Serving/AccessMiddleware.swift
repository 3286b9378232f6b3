import HTTPTypes
import Hummingbird

/// Checks every request against the access rules before any other handler.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    private let service: ControlService
    private let bodyTypes: [String: String]

    init(service: ControlService, routes: [ControlRoute]) {
        self.service = service
        self.bodyTypes = Dictionary(routes.compactMap { route in route.bodyType.map { (route.path, $0) } }) {
            first,
            _ in first
        }
    }

    func handle(
        _ request: Request,
        context: ControlContext,
        next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let rules = AccessRules(
            port: self.service.port,
            token: self.service.token,
            names: self.service.configuration.serverNames,
            bodyTypes: self.bodyTypes
        )
        if let refusal = rules.refusal(Self.visitor(request)) { throw refusal }
        return try await next(request, context)
    }

    private static func visitor(_ request: Request) -> AccessRules.Visitor {
        let headers = request.headers
        var visitor = AccessRules.Visitor(request.method.rawValue, request.uri.path)
        // The first Host is the authority; another one stays among the fields.
        visitor.host = headers.contains(.host) ? nil : request.head.authority
        visitor.origin = headers[.origin]
        visitor.fetchSite = headers[.secFetchSite]
        visitor.fetchMode = headers[.secFetchMode]
        visitor.fetchDestination = headers[.secFetchDest]
        visitor.contentType = headers[.contentType]
        visitor.hasBody = headers.contains(.transferEncoding) || (headers[.contentLength].map { $0 != "0" } ?? false)
        visitor.authorization = headers[.authorization]
        return visitor
    }
}

extension HTTPField.Name {
    // All are header names (RFC 9110 section 5.1), so the initialiser never fails.
    fileprivate static let host = HTTPField.Name("Host") ?? .server
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .server
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode") ?? .server
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest") ?? .server
}
