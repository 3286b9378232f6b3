/// Host names and addresses that always lead to this machine.
package enum LoopbackHost {
    /// Returns true if a host leads to this machine and cannot be made to lead elsewhere: `localhost` (RFC 6761
    /// section 6.3), 127.0.0.0/8 written in full, and `::1`.
    package static func contains(_ host: String) -> Bool {
        let host = ASCII.lowercased(host)
        if host == "localhost" || host == "::1" { return true }
        // Anybody can own a name such as 127.example.com.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.allSatisfy(\.isASCII) && UInt8($0) != nil && $0.first != "+" }
    }
}
