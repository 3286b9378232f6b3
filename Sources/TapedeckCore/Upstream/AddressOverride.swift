/// Addresses to connect to in place of those that a host's name has, as curl's `--resolve` names them.
package struct AddressOverride: Sendable, Hashable {
    /// In lower case; `nil` is every host.
    package let host: String?
    package let port: Int
    /// At least one; tried as if the name had them.
    package let addresses: [NetworkAddress]

    /// `HOST:PORT:ADDRESS[,ADDRESS]`; `*` is every host, and IPv6 addresses may be in brackets.
    ///
    /// - Throws: ``UpstreamOptionError``.
    package init(_ text: String) throws(UpstreamOptionError) {
        // A host may be an IPv6 address in brackets.
        let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]") ?? text.startIndex : text.startIndex
        guard let first = text[bracket...].firstIndex(of: ":"),
            let second = text[text.index(after: first)...].firstIndex(of: ":"),
            let port = Int(text[text.index(after: first)..<second]), (1...65_535).contains(port)
        else { throw Self.refusal(of: text) }
        let host = text[..<first]
        if host == "*" {
            self.host = nil
        } else {
            guard let split = Origin.split(authority: host), split.port == nil else { throw Self.refusal(of: text) }
            self.host = ASCII.lowercased(split.host)
        }
        self.port = port
        let list = text[text.index(after: second)...].split(separator: ",", omittingEmptySubsequences: false)
        let addresses = list.compactMap { NetworkAddress($0) }
        guard addresses.count == list.count, !addresses.isEmpty else { throw Self.refusal(of: text) }
        self.addresses = addresses
    }

    private static func refusal(of text: String) -> UpstreamOptionError {
        UpstreamOptionError(
            "\"\(text)\" gives no host an address; write HOST:PORT:ADDRESS, such as api.example.com:443:127.0.0.1, "
                + "several addresses with commas between them, and IPv6 ones in brackets"
        )
    }
}

/// All that there are.
package struct AddressOverrides: Sendable, Equatable {
    private let overrides: [AddressOverride]

    /// For the same host and port the first one counts; one for the host itself comes before one for `*`.
    package init(_ overrides: [AddressOverride] = []) {
        self.overrides = overrides
    }

    /// The addresses to connect to; `nil` leaves that to the system's resolver.
    package func addresses(host: String, port: Int) -> [NetworkAddress]? {
        guard !self.overrides.isEmpty else { return nil }
        let fitting = self.overrides.filter { $0.port == port && ($0.host == nil || $0.host == host) }
        return (fitting.first { $0.host != nil } ?? fitting.first)?.addresses
    }
}
