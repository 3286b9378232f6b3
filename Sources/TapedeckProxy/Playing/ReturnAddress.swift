import TapedeckCore

/// The address by which a client reaches an origin at the deck: a reverse listener, or a base URL. What names the origin in
/// an answer is changed to it, or the client would leave the deck with its next request.
struct ReturnAddress: Sendable, Equatable {
    let origin: Origin
    /// `http://127.0.0.1:4747`
    let deck: String
    /// The path of the base URL, `/.tapedeck/KEY/https/HOST`; empty for a reverse listener.
    let prefix: String
    /// True if the client speaks TLS with the deck.
    let isEncrypted: Bool

    /// Returns true for a field that may name the origin.
    static func concerns(_ field: HeaderField) -> Bool {
        switch field.name.utf8.count {
        case 4: field.isNamed("link")
        case 7: field.isNamed("refresh")
        case 8: field.isNamed("location")
        case 10: field.isNamed("set-cookie")
        case 16: field.isNamed("content-location")
        default: false
        }
    }

    /// Returns the fields of a response as the client is to get them; `nil` if they stay.
    ///
    /// - Parameter path: the path of the request at the origin.
    func fields(_ fields: [HeaderField], of path: String) -> [HeaderField]? {
        var result = fields
        var isSame = true
        for (index, field) in fields.enumerated() where Self.concerns(field) {
            let value: String?
            switch field.name.utf8.count {
            case 4: value = self.link(field.value, path)
            case 7: value = self.refresh(field.value, path)
            case 10: value = self.cookie(field.value)
            default: value = self.url(field.value, path)
            }
            guard let value, value != field.value else { continue }
            result[index].value = value
            isSame = false
        }
        return isSame ? nil : result
    }

    // MARK: URLs

    /// Returns a URL that names the origin as one that names the deck; `nil` for any other.
    ///
    /// - Parameter path: that of the request, to which it is relative.
    private func url(_ text: String, _ path: String) -> String? {
        let url = Substring(text).trimmingSpaces()
        if url.hasPrefix("//") { return self.url("\(self.origin.scheme.rawValue):\(url)", path) }
        if url.hasPrefix("/") { return self.prefix.isEmpty ? nil : self.prefix + Self.withoutDots(url) }
        guard let mark = url.firstRange(of: "://") else { return self.climbing(url, path) }
        let end = url[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        let authority = String(url[mark.upperBound..<end])
        // One with a user is not the same address.
        guard !authority.contains("@"),
            let scheme = Origin.Scheme(rawValue: ASCII.lowercased(String(url[..<mark.lowerBound]))),
            Origin(scheme: scheme, authority: authority) == self.origin
        else { return nil }
        return self.deck + self.prefix + Self.withoutDots(url[end...])
    }

    /// Returns a relative path that leads above the path of the request as one from the base URL: at the origin it ends at the
    /// root, and must not lead out of the base URL here. `nil` for any other.
    private func climbing(_ url: Substring, _ path: String) -> String? {
        guard !self.prefix.isEmpty, Self.climbs(url) else { return nil }
        let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        return self.prefix + Self.withoutDots("\(folder)/\(url)")
    }

    private static func climbs(_ url: Substring) -> Bool {
        url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").contains { Self.dots($0) == 2 }
    }

    /// RFC 3986 section 5.2.4: a path that climbs, without its `.` and `..`.
    private static func withoutDots(_ url: Substring) -> Substring {
        guard Self.climbs(url) else { return url }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        var segments: [Substring] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let dots = Self.dots(part)
            if dots == 2 { _ = segments.popLast() }
            if dots == 0 { segments.append(part) } else if index == parts.count - 1 { segments.append("") }
        }
        return "/\(segments.joined(separator: "/"))\(url[path.endIndex...])"
    }

    /// 1 for `.`, 2 for `..`, also percent-encoded (WHATWG URL, "single-dot" and "double-dot URL path segment"); 0 for others.
    private static func dots(_ segment: Substring) -> Int {
        let plain = segment.count <= 6 ? ASCII.lowercased(String(segment)).replacing("%2e", with: ".") : ""
        return plain == "." ? 1 : plain == ".." ? 2 : 0
    }

    /// RFC 8288 section 3: `<URL>; rel=next, <URL>; rel=last`.
    private func link(_ text: String, _ path: String) -> String? {
        var result = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let url = String(rest[rest.index(after: open)..<close])
            result += String(rest[...open]) + (self.url(url, path) ?? url)
            rest = rest[close...]
        }
        return result + rest
    }

    /// `5; url=URL`, as browsers read it (WHATWG HTML section 4.2.5.3).
    private func refresh(_ text: String, _ path: String) -> String? {
        guard let mark = text.firstRange(of: /url\s*=\s*["']?/.ignoresCase()) else { return nil }
        let end = text[mark.upperBound...].firstIndex { "\"'".contains($0) } ?? text.endIndex
        return self.url(String(text[mark.upperBound..<end]), path).map { text[..<mark.upperBound] + $0 + text[end...] }
    }

    // MARK: Cookies

    /// Returns a cookie that the client sends to the deck (RFC 6265 sections 5.2 and 5.4): without the origin's `Domain`,
    /// with the path of the base URL, and, where the deck has no TLS, without `Secure` and what requires it.
    private func cookie(_ text: String) -> String? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let isWithoutTLS = !self.isEncrypted
        let losesSecure = isWithoutTLS && parts.dropFirst().contains { Self.attribute($0).name == "secure" }
        var kept = [String(parts[0])]
        for part in parts.dropFirst() {
            let (name, value) = Self.attribute(part)
            switch name {
            case "domain" where self.isOfOrigin(value): continue
            case "secure" where isWithoutTLS: continue
            case "partitioned" where losesSecure: continue
            case "samesite" where losesSecure && ASCII.equalsIgnoringCase(value, "none"): continue
            case "path" where !self.prefix.isEmpty && value.hasPrefix("/"):
                kept.append(" Path=\(self.prefix)\(value)")
            default: kept.append(String(part))
            }
        }
        return kept.joined(separator: ";")
    }

    private static func attribute(_ part: Substring) -> (name: String, value: String) {
        let name = part.prefix { $0 != "=" }
        let value = part.dropFirst(name.count + 1)
        return (ASCII.lowercased(String(name.trimmingSpaces())), String(value.trimmingSpaces()))
    }

    /// Returns true for the origin's host or a domain that it is in.
    private func isOfOrigin(_ domain: String) -> Bool {
        let domain = ASCII.lowercased(domain.hasPrefix(".") ? String(domain.dropFirst()) : domain)
        return self.origin.host == domain || self.origin.host.hasSuffix(".\(domain)")
    }
}
