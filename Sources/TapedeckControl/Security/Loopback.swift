import TapedeckCore

/// Names and addresses of this machine for itself.
enum Loopback {
    /// Whether a host is one that leads to this machine and cannot be made to lead elsewhere: `localhost` (RFC 6761
    /// section 6.3), 127.0.0.0/8 written in full, and `::1`.
    static func isLoopback(_ host: String) -> Bool {
        let host = ASCII.lowercased(host)
        if host == "localhost" || host == "::1" { return true }
        // A name such as 127.example.com is anybody's.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.allSatisfy(\.isASCII) && UInt8($0) != nil && $0.first != "+" }
    }
}
