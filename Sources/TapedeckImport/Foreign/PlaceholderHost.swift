import TapedeckCore

/// The host of a URL that has a placeholder of a recorder in it, such as `<<HOSTNAME>>` of VCR, which the configuration of
/// the tests fills in when it plays.
struct PlaceholderHost {
    /// The URL with a name of letters in the place of the placeholder.
    let url: String
    /// The placeholder as written.
    let placeholder: String
    /// The name in its place.
    let name: String

    /// `nil` for a URL without one in its scheme and host.
    init?(_ url: String) {
        let head = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
        let isWhole = head.isEmpty && url.hasPrefix("<")
        guard isWhole || head == "https://" || head == "http://" else { return nil }
        let authority = url[head.endIndex...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let open = authority.firstIndex(of: "<"), let close = authority[open...].firstIndex(of: ">") else {
            return nil
        }
        let end = authority[close...].firstIndex { $0 != ">" } ?? authority.endIndex
        let word = authority[open..<close].drop { $0 == "<" }
        guard (1...64).contains(word.utf8.count), word.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == 0x20 }),
            word.utf8.contains(where: { $0 != 0x20 })
        else { return nil }
        var name = ASCII.lowercased(String(word)).replacing("_", with: "-").replacing(" ", with: "-")
        let rest = authority[end...]
        // The domain that stands for no other (RFC 2606).
        if open == authority.startIndex, !rest.hasPrefix(".") { name += ".test" }
        let scheme = isWhole ? "https://" : ""
        let needsSlash = isWhole && !rest.isEmpty && !rest.hasPrefix(":") && !rest.hasPrefix(".")
        self.url = scheme + url[..<open] + name + (needsSlash ? "/" : "") + url[end...]
        self.placeholder = String(authority[open..<end])
        self.name = name
    }
}
