import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The target of a 3xx answer, by the rules of URLSession.
enum Redirect {
    /// The maximum number of redirects per request.
    static let limit = 16

    /// Returns the request that follows a redirect, or `nil` if the answer is not one, or does not lead to an http or
    /// https URL.
    ///
    /// 303 turns every method but HEAD into GET, 301 and 302 only POST; 307 and 308 change nothing (RFC 9110 sections
    /// 15.4.2 to 15.4.9). Credentials are only for their origin.
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
        // The cookies of the next URL are looked up again.
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
