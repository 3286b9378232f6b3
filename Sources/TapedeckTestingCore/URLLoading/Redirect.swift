import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where an answer of 3xx leads, by the rules of URLSession.
enum Redirect {
    /// How many are followed for one request.
    static let limit = 16

    /// The request that follows a redirect; `nil` where the answer is none, or leads to no URL of http or https.
    ///
    /// 303 makes a GET of everything but HEAD, 301 and 302 of a POST; 307 and 308 change nothing (RFC 9110 sections 15.4.2
    /// to 15.4.9). Credentials are for the origin that they were given for.
    static func request(
        status: Int,
        location: String?,
        after request: URLRequest
    ) -> (request: URLRequest, keepsBody: Bool)? {
        guard [301, 302, 303, 307, 308].contains(status), let location, let from = request.url,
            let to = URL(string: location, relativeTo: from)?.absoluteURL,
            ["http", "https"].contains(to.scheme?.lowercased())
        else { return nil }
        var next = request
        next.url = to
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST"
        if becomesGet {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in ["Content-Type", "Content-Length"] { next.setValue(nil, forHTTPHeaderField: name) }
        }
        // Those of the next URL are looked up anew.
        next.setValue(nil, forHTTPHeaderField: "Cookie")
        if !self.isSameOrigin(from, to) {
            next.setValue(nil, forHTTPHeaderField: "Authorization")
        }
        return (next, !becomesGet)
    }

    /// True if both have the same scheme, host and port (RFC 9110 section 4.3.1).
    static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        func origin(_ url: URL) -> [String?] {
            let scheme = url.scheme?.lowercased()
            let port = url.port ?? (scheme == "https" ? 443 : 80)
            return [scheme, url.host(percentEncoded: true)?.lowercased(), String(port)]
        }
        return origin(one) == origin(other)
    }
}
