/// A pattern for hosts: a name, all names below one, an address, a range of addresses, or a regular expression.
///
///     api.github.com   *.github.com   localhost:8080   127.0.0.1   10.0.0.0/8   [::1]:443   /^api-\d+\./   *
///
/// Names are compared without regard to case. `*.github.com` is every name below `github.com`, at any depth, and not
/// that name itself. A regular expression may match any part of the name. Without a port it matches every port.
package struct HostPattern: Sendable, Equatable, CustomStringConvertible {
    /// An invalid pattern for hosts, with advice.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private enum Kind: Sendable, Equatable {
        case all
        case name(String)
        /// With the dot in front.
        case below(String)
        case address(NetworkAddress)
        case range(NetworkRange)
        case pattern(Pattern)
    }

    /// As it was written.
    package let source: String
    private let kind: Kind
    /// `nil` is any.
    private let port: Int?

    package var description: String { self.source }

    /// - Throws: ``Problem``.
    package init(_ source: String) throws(Problem) {
        self.source = source
        if source.utf8.first == ASCII.slash {
            (self.kind, self.port) = try Self.pattern(source)
            return
        }
        if source.contains("://") || source.contains("@") {
            throw Problem(description: "`\(source)` is no host: write the host alone, such as api.example.com")
        }
        guard source.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                description: "`\(source)` is no host: write it as requests have it, such as xn--bcher-kva.example"
            )
        }
        if source.contains("/") {
            guard let range = NetworkRange(source) else {
                throw Problem(
                    description: "`\(source)` is no host: write it without a path; a range of addresses is written as "
                        + "10.0.0.0/8"
                )
            }
            self.kind = .range(range)
            self.port = nil
            return
        }
        let (host, port) = try Self.split(source)
        self.port = port
        let name = ASCII.lowercased(host)
        if name == "*" {
            self.kind = .all
        } else if let address = NetworkAddress(name) {
            self.kind = .address(address)
        } else if name.hasPrefix("*."), name.count > 2, !name.dropFirst(2).contains("*") {
            self.kind = .below(String(name.dropFirst()))
        } else if name.contains("*") {
            throw Problem(
                description: "`\(source)`: a star stands alone or for all in front of a dot, such as *.example.com; "
                    + "for anything else write a regular expression between slashes"
            )
        } else {
            self.kind = .name(name)
        }
    }

    /// Returns true if an origin's host and port match.
    package func matches(_ origin: Origin) -> Bool {
        self.matches(host: origin.host, port: origin.port)
    }

    /// - Parameter host: in lower case, IPv6 without brackets.
    package func matches(host: String, port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        // A name may end in a dot that says that it is complete (RFC 1034 section 3.1).
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        switch self.kind {
        case .all: return true
        case .name(let name): return host == name
        case .below(let suffix): return host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count
        case .address(let address): return NetworkAddress(host) == address
        case .range(let range): return NetworkAddress(host).map(range.contains) ?? false
        case .pattern(let pattern):
            var host = host
            return host.withUTF8 { bytes in
                if case .matched = pattern.match(UnsafeRawBufferPointer(bytes), scratch: PatternScratch()) {
                    return true
                }
                return false
            }
        }
    }

    /// Returns `false` only if no origin can match both patterns. Regular expressions, addresses and ranges are not
    /// compared with each other: with them the answer is `true`.
    package func mayOverlap(_ other: HostPattern) -> Bool {
        if let port = self.port, let otherPort = other.port, port != otherPort { return false }
        switch (self.kind, other.kind) {
        case (.name(let name), _): return other.matches(host: name, port: other.port ?? self.port ?? 0)
        case (_, .name(let name)): return self.matches(host: name, port: self.port ?? other.port ?? 0)
        case (.below(let suffix), .below(let otherSuffix)):
            return suffix.hasSuffix(otherSuffix) || otherSuffix.hasSuffix(suffix)
        case (.below, .address), (.below, .range), (.address, .below), (.range, .below): return false
        case (.all, _), (_, .all), (.address, _), (.range, _), (.pattern, _), (_, .pattern): return true
        }
    }

    private static func split(_ source: String) throws(Problem) -> (host: String, port: Int?) {
        // An IPv6 address needs no brackets if no port follows.
        if NetworkAddress(source) != nil { return (source, nil) }
        // A star is not valid in a host, so a valid character replaces it for the check.
        guard let (host, port) = Origin.split(authority: source.replacing("*", with: "~")) else {
            throw Problem(
                description: "`\(source)` is no host; write one such as api.example.com, *.example.com, "
                    + "localhost:8080, 10.0.0.0/8, or a regular expression between slashes"
            )
        }
        return (host.replacing("~", with: "*"), port)
    }

    private static func pattern(_ source: String) throws(Problem) -> (Kind, port: Int?) {
        var body = source.dropFirst()
        var port: Int?
        if let end = body.lastIndex(of: "/"), let number = Int(body[end...].dropFirst(2)),
            body[end...].dropFirst().first == ":", (1...65_535).contains(number)
        {
            port = number
            body = body[...end]
        }
        guard body.last == "/", body.count > 1 else {
            throw Problem(
                description: "`\(source)` is no host: a regular expression ends with a slash, such as /^api-/"
            )
        }
        do {
            return (.pattern(try Pattern(String(body.dropLast()), scope: .anywhere, ignoresCase: true)), port)
        } catch {
            throw Problem(description: "`\(source)` is no regular expression: \(error.message)")
        }
    }
}
