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
    func fields(_ fields: [HeaderField]) -> [HeaderField]? {
        var result = fields
        var isSame = true
        for (index, field) in fields.enumerated() where Self.concerns(field) {
            let value: String?
            switch field.name.utf8.count {
            case 4: value = self.link(field.value)
            case 7: value = self.refresh(field.value)
            case 10: value = self.cookie(field.value)
            default: value = self.url(field.value)
            }
            guard let value, value != field.value else { continue }
            result[index].value = value
            isSame = false
        }
        return isSame ? nil : result
    }

    // MARK: URLs

    /// Returns a URL that names the origin as one that names the deck; `nil` for any other.
    private func url(_ text: String) -> String? {
        let url = Substring(text).trimmingSpaces()
        if url.hasPrefix("//") { return self.url("\(self.origin.scheme.rawValue):\(url)") }
        if url.hasPrefix("/") { return self.prefix.isEmpty ? nil : self.prefix + url }
        guard let mark = url.firstRange(of: "://") else { return nil }
        let end = url[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        let authority = String(url[mark.upperBound..<end])
        // One with a user is not the same address.
        guard !authority.contains("@"),
            let scheme = Origin.Scheme(rawValue: ASCII.lowercased(String(url[..<mark.lowerBound]))),
            Origin(scheme: scheme, authority: authority) == self.origin
        else { return nil }
        return self.deck + self.prefix + url[end...]
    }

    /// RFC 8288 section 3: `<URL>; rel=next, <URL>; rel=last`.
    private func link(_ text: String) -> String? {
        var result = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let url = String(rest[rest.index(after: open)..<close])
            result += String(rest[...open]) + (self.url(url) ?? url)
            rest = rest[close...]
        }
        return result + rest
    }

    /// `5; url=URL`, as browsers read it (WHATWG HTML section 4.2.5.3).
    private func refresh(_ text: String) -> String? {
        guard let mark = text.firstRange(of: /url\s*=\s*["']?/.ignoresCase()) else { return nil }
        let end = text[mark.upperBound...].firstIndex { "\"'".contains($0) } ?? text.endIndex
        return self.url(String(text[mark.upperBound..<end])).map { text[..<mark.upperBound] + $0 + text[end...] }
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
