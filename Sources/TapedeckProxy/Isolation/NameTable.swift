import TapedeckLocking

/// The names that an isolated command looked up, each with its own address.
///
/// The addresses are from 198.18.0.0/15, which is for benchmarks of networks and never routed (RFC 2544).
package final class NameTable: Sendable {
    private struct Entries {
        var addresses: [String: UInt32] = [:]
        var names: [UInt32: String] = [:]
    }

    /// 198.18.0.0. The first address behind it is the command's own.
    private static let network: UInt32 = 0xC612_0000
    /// The maximum number of names.
    private static let limit = 65_536

    private let entries = Locked(Entries())

    package init() {}

    /// Returns the address of a name, in host byte order; `nil` when there are too many names.
    ///
    /// - Parameter name: in lower case, without a final dot.
    func address(of name: String) -> UInt32? {
        self.entries.withLock { entries in
            if let address = entries.addresses[name] { return address }
            guard entries.addresses.count < Self.limit else { return nil }
            let address = Self.network + 2 + UInt32(entries.addresses.count)
            entries.addresses[name] = address
            entries.names[address] = name
            return address
        }
    }

    /// Returns the host of an address: the name that has it, or the address itself.
    ///
    /// - Parameter address: IPv4 in dotted decimal, or IPv6.
    func host(at address: String) -> String {
        let bytes = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard bytes.count == 4, !bytes.contains(nil) else { return address.lowercased() }
        let number = bytes.reduce(0) { $0 << 8 | UInt32($1 ?? 0) }
        return self.entries.withLock { $0.names[number] } ?? address
    }
}
