/// The rules that keep web pages away from a deck: one set for the control API and for the ports of the proxy.
///
/// Any program on the machine may use a deck on loopback. A web page in a browser may not, although its requests come
/// from the same machine. Two header fields distinguish the page's requests, and a page controls neither:
///
/// - `Host`. It shows a name whose owner resolves it to this machine (DNS rebinding).
/// - `Origin` and `Sec-Fetch-Site`, in which a browser names the origin of a request (Fetch standard, section 3.2;
///   Fetch Metadata Request Headers, section 2.3).
package struct PageRules: Sendable, Equatable {
    /// The header fields that the rules read.
    package struct Visitor: Sendable, Equatable {
        /// The value of Host, or `nil`.
        package var host: String?
        package var origin: String?
        /// The value of Sec-Fetch-Site.
        package var fetchSite: String?

        package init(host: String? = nil, origin: String? = nil, fetchSite: String? = nil) {
            self.host = host
            self.origin = origin
            self.fetchSite = fetchSite
        }

        /// True if only a browser sends such a request.
        package var isBrowser: Bool { self.origin != nil || self.fetchSite != nil }
    }

    /// The reason to refuse a request.
    package enum Refusal: Sendable, Equatable {
        /// The Host is not a name of the deck.
        case wrongHost
        /// The request comes from a page of another origin.
        case foreignPage
    }

    /// The names of the deck in Host, in addition to those of loopback, in lower case and without a port.
    package var names: Set<String> = []
    /// True to accept any Host: for ports where every request needs a token, which a rebound page does not have.
    package var takesAnyName = false
    /// The only port that Host may have; `nil` accepts any, as ports may be mapped.
    package var port: Int?
    /// Origins whose pages may send requests, in addition to the deck's own.
    package var origins: Set<Origin> = []
    /// Accepts pages that come from loopback, such as the web front end of an application under test.
    package var takesLoopbackPages = false

    package init() {}

    /// Returns the reason to refuse a request; `nil` accepts it. Without a Host no page sent it.
    package func refusal(_ visitor: Visitor) -> Refusal? {
        if let host = visitor.host, !self.takes(host: host) { return .wrongHost }
        return self.isForeign(visitor) ? .foreignPage : nil
    }

    /// Returns true if `host`, the value of a Host field, names the deck.
    package func takes(host: String) -> Bool {
        if self.takesAnyName { return true }
        guard let parts = Origin.split(authority: host) else { return false }
        guard LoopbackHost.contains(parts.host) || self.names.contains(ASCII.lowercased(parts.host)) else {
            return false
        }
        return self.port.map { $0 == parts.port ?? Origin.Scheme.http.defaultPort } ?? true
    }

    private func isForeign(_ visitor: Visitor) -> Bool {
        guard let origin = visitor.origin else {
            // Fetches without an Origin: images, scripts, frames and navigations.
            return visitor.fetchSite == "cross-site" || visitor.fetchSite == "same-site"
        }
        if let host = visitor.host, ASCII.lowercased(origin) == "http://" + ASCII.lowercased(host) { return false }
        // `null` is a sandboxed frame or a file: it could be anybody's.
        guard let page = Origin(origin) else { return true }
        return !(self.origins.contains(page) || self.takesLoopbackPages && LoopbackHost.contains(page.host))
    }
}
