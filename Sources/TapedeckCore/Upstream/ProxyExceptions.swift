/// Hosts that are contacted directly although there is a proxy, as `NO_PROXY` lists them and curl reads it: names,
/// which include their subdomains (`example.com`, `.example.com` and `*.example.com` are the same), addresses, ranges
/// such as `10.0.0.0/8`, each with an optional `:port`, and `*` for all.
package struct ProxyExceptions: Sendable, Hashable {
    private enum Entry: Hashable {
        case all
        case name(String)
        case address(NetworkAddress)
        case range(NetworkRange)
    }

    private struct Exception: Hashable {
        var entry: Entry
        var port: Int?
    }

    private let exceptions: [Exception]

    /// Parses a list separated by commas or spaces. An entry that is not an address is a name.
    package init(_ list: String) {
        self.exceptions = list.split { $0 == "," || $0.isWhitespace }.compactMap { Self.exception(String($0)) }
    }

    private static func exception(_ text: String) -> Exception? {
        if text == "*" { return Exception(entry: .all) }
        if let address = NetworkAddress(text) { return Exception(entry: .address(address)) }
        if let range = NetworkRange(text) { return Exception(entry: .range(range)) }
        var name = text[...]
        var port: Int?
        if let colon = name.lastIndex(of: ":"), let number = Int(name[name.index(after: colon)...]) {
            port = number
            name = name[..<colon]
            if let address = NetworkAddress(name) { return Exception(entry: .address(address), port: port) }
        }
        if name.hasPrefix("*.") { name = name.dropFirst() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return name.isEmpty ? nil : Exception(entry: .name(ASCII.lowercased(String(name))), port: port)
    }

    /// Returns true if a host is contacted directly.
    ///
    /// - Parameters:
    ///   - host: in lower case, IPv6 without brackets.
    ///   - addresses: the known addresses of the host; none are looked up.
    package func contains(host: String, port: Int, addresses: [NetworkAddress] = []) -> Bool {
        guard !self.exceptions.isEmpty else { return false }
        let addresses = addresses + (NetworkAddress(host).map { [$0] } ?? [])
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        return self.exceptions.contains { exception in
            guard exception.port == nil || exception.port == port else { return false }
            return switch exception.entry {
            case .all: true
            case .name(let name): host == name || host.hasSuffix(".\(name)")
            case .address(let address): addresses.contains(address)
            case .range(let range): addresses.contains(where: range.contains)
            }
        }
    }
}
