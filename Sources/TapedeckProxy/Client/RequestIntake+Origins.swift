import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// The place of a request's path in its target, and how the request came by it.
struct ResolvedTarget {
    /// The offset of the path in the target.
    var pathStart = 0
    /// The request named its origin in the path of a base URL.
    var isBaseURL = false
    /// True if the client takes the deck for the origin, by a base URL or a reverse listener.
    var isAtDeck = false
    /// The offset of the path of a base URL in the target.
    var baseStart = 0
    /// The deck's origin, where the target names it in place of Host.
    var namedDeck: Origin?
    /// True if the request used the port as a server, and came from a browser.
    var isFromBrowser = false
}

/// The origin of a request, from its target, its tunnel or its Host.
extension RequestIntake {
    /// The outcome of a request's target on a transparent listener.
    enum TransparentTarget {
        /// ``origins`` has its origin; the path begins here.
        case path(Int)
        case refused(LocalResponse)
    }

    /// RFC 9112 sections 3.2.1 and 3.2.4.
    static func isOriginForm(_ target: UnsafeRawBufferPointer) -> Bool {
        target.first == ASCII.slash || target.count == 1 && target.first == ASCII.asterisk
    }

    /// Returns the offset of the path in `target`, and stores the origin in ``origins``.
    ///
    /// - Parameter pathKey: is set to the key of a session in the path.
    func resolveOrigin(
        _ target: UnsafeRawBufferPointer,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> Int? {
        if Self.isOriginForm(target) {
            switch self.route {
            // A transparent one has its own way, by Host.
            case .tunnel, .transparent: return 0
            case .proxy:
                if BaseURLTarget.isNamed(by: target) { return try self.resolveBaseURL(target, from: 0, &pathKey) }
                guard let origin = self.doorway.reverseOrigin else { return nil }
                self.target.isAtDeck = true
                if self.origins.origin != origin {
                    self.origins = OriginCache()
                    self.origins.set(origin)
                }
                return 0
            }
        }
        guard case .tunnel(let origin) = self.route else {
            let path = self.origins.resolve(target)
            if let path, let named = self.origins.origin, BaseURLTarget.isNamed(by: target, from: path),
                self.deck.own.isNamed(by: named)
            {
                // As below.
                self.target.namedDeck = named
                return try self.resolveBaseURL(target, from: path, &pathKey)
            }
            // A client that has both the deck's base URL and its proxy setting asks the proxy for the base URL.
            if let reverse = self.doorway.reverseOrigin, let named = self.origins.origin,
                named != reverse, self.deck.own.isNamed(by: named)
            {
                self.target.namedDeck = named
                self.target.isAtDeck = true
                self.origins.set(reverse)
            }
            return path
        }
        // Inside a tunnel an absolute target may name the tunnel's own origin, and no other.
        var named = OriginCache()
        guard let path = named.resolve(target), named.origin == origin else { return nil }
        return path
    }

    func resolveBaseURL(
        _ target: UnsafeRawBufferPointer,
        from start: Int,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> Int {
        let base = try BaseURLTarget(target, from: start)
        // The last resolved origin is cached by its bytes, which do not include this path.
        self.origins = OriginCache()
        self.origins.set(base.origin)
        self.target.isBaseURL = true
        self.target.isAtDeck = true
        self.target.baseStart = start
        pathKey = base.key
        return base.pathStart
    }

    func targetProblem(_ target: UnsafeRawBufferPointer) -> MalformedMessage {
        if target.first == ASCII.slash {
            return MalformedMessage(
                "this is a proxy and the request names no origin; set it as the client's proxy, or start Tapedeck with "
                    + "--reverse ORIGIN to use it as a base URL"
            )
        }
        if self.route.isTunnel {
            return MalformedMessage("the request names another origin than its tunnel leads to", status: 421)
        }
        return MalformedMessage("the request target is no http or https URL")
    }

    // MARK: On a transparent listener

    /// Finds the origin of the request whose head was scanned last.
    ///
    /// - Parameter pathKey: is set to the key of a session that the path names.
    func resolveTransparent(
        _ route: TransparentRoute,
        _ bytes: UnsafeRawBufferPointer,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> TransparentTarget {
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        guard Self.isOriginForm(target) else {
            // RFC 9112 section 3.2.2: a server takes the absolute form too, and then Host does not count.
            guard let path = self.origins.resolve(target), let origin = self.origins.origin else {
                throw MalformedMessage("the request target is no http or https URL")
            }
            return route.leads(to: origin) ? .path(path) : self.misdirected(origin, route)
        }
        // A key in the path is for the deck, whatever the host.
        if BaseURLTarget.isNamed(by: target) { return .path(try self.resolveBaseURL(target, from: 0, &pathKey)) }
        guard let slice = self.scanner.fields.host else {
            guard let origin = route.unnamed else { return .refused(.unnamedOrigin) }
            // Nor is it any Host's that was remembered.
            self.origins = OriginCache()
            self.origins.set(origin)
            return .path(0)
        }
        let host = UnsafeRawBufferPointer(rebasing: bytes[slice.value])
        if self.origins.isSet(for: host) { return .path(0) }
        guard let origin = route.origin(ByteText.string(from: host)) else {
            throw MalformedMessage("the field Host is neither HOST nor HOST:PORT")
        }
        guard route.leads(to: origin) else { return self.misdirected(origin, route) }
        self.origins.set(origin, for: host)
        return .path(0)
    }

    private func misdirected(_ origin: Origin, _ route: TransparentRoute) -> TransparentTarget {
        self.deck.log.notice(
            "refused a request that came by another origin's connection",
            metadata: ["origin": "\(origin)", "connection": "\(route.serverName ?? route.scheme.rawValue)"]
        )
        return .refused(.misdirected(origin, route))
    }
}
