/// The hosts that a setting is for: `api.example.com`, `*.example.com` (any number of labels before it, not the name
/// itself), an address, or `*` for all; `host:port` is for that port alone, and IPv6 stands in brackets then.
package struct HostGlob: Sendable, Hashable, CustomStringConvertible {
    /// Without its `*.`; empty for all hosts.
    private let name: String
    private let takesSubdomains: Bool
    private let port: Int?
    /// As it was written.
    package let description: String

    /// `nil` for what is neither a host nor a pattern of hosts.
    package init?(_ text: some StringProtocol) {
        self.description = String(text)
        var host = ASCII.lowercased(String(text))
        var port: Int?
        // An IPv6 address without brackets has no port.
        if NetworkAddress(host) == nil {
            let isStarred = host.hasPrefix("*")
            guard let split = Origin.split(authority: isStarred ? "_" + host.dropFirst() : host) else { return nil }
            host = isStarred ? "*" + split.host.dropFirst() : split.host
            port = split.port
        } else if host.hasPrefix("[") {
            host = String(host.dropFirst().dropLast())
        }
        self.port = port
        if host == "*" {
            self.name = ""
            self.takesSubdomains = true
        } else {
            self.takesSubdomains = host.hasPrefix("*.")
            self.name = String(host.dropFirst(self.takesSubdomains ? 2 : 0))
            guard !self.name.isEmpty, !self.name.contains("*") else { return nil }
        }
    }

    /// Whether a host, in lower case, and its port are among them.
    package func contains(host: String, port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        if self.takesSubdomains { return self.name.isEmpty || host.hasSuffix(".\(self.name)") }
        return host == self.name
    }
}
