/// The kind of an address that is not publicly reachable.
package enum TargetKind: String, Sendable, Hashable, CaseIterable {
    /// "This host", to which systems connect as to loopback (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.2).
    case unspecified
    case loopback
    /// RFC 1918, RFC 4193, and the site-local addresses of RFC 3879.
    case privateUse
    /// Between a provider and its customers (RFC 6598).
    case sharedSpace
    /// RFC 3927, RFC 4291 section 2.5.6.
    case linkLocal
    /// The service where a cloud gives a machine its credentials, in any range.
    case metadata
    case documentation
    case benchmarking
    case multicast
    case broadcast
    /// Set aside for something else, or for nothing yet.
    case reserved

    /// The name of such an address, with its article.
    package var description: String {
        switch self {
        case .unspecified: "an unspecified address, which leads to this machine"
        case .loopback: "a loopback address"
        case .privateUse: "a private address"
        case .sharedSpace: "an address of a provider's own network"
        case .linkLocal: "a link-local address"
        case .metadata: "the address of a cloud's metadata service"
        case .documentation: "an address for documentation"
        case .benchmarking: "an address for benchmarks"
        case .multicast: "a multicast address"
        case .broadcast: "the broadcast address"
        case .reserved: "a reserved address"
        }
    }
}
