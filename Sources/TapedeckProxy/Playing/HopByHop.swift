import TapedeckCore
import TapedeckHTTP1

/// Which fields end at this hop, and what is said anew (RFC 9110 section 7.6.1).
///
/// Tapedeck adds no Via field: a stand-in should not change what either end sees more than it must.
enum HopByHop {
    /// True for the fields that end at any hop.
    ///
    /// - Parameter name: in lower case. Its length rules out nearly all names, which costs less than hashing them.
    private static func isHopByHop(_ name: String) -> Bool {
        switch name.utf8.count {
        case 2: name == "te"
        case 7: name == "upgrade"
        case 10: name == "connection" || name == "keep-alive"
        case 16: name == "proxy-connection"
        case 18: name == "proxy-authenticate"
        case 19: name == "proxy-authorization"
        case 25: name == "proxy-authentication-info"
        default: false
        }
    }

    /// True for a field that says something of the connection, which HTTP/2 says in other ways (RFC 9113 section 8.2.2).
    static func isOfConnection(_ field: HeaderField) -> Bool {
        switch field.name.utf8.count {
        case 7, 10, 16, 17:
            let name = ASCII.lowercased(field.name)
            return name == "upgrade" || name == "connection" || name == "keep-alive" || name == "proxy-connection"
                || name == "transfer-encoding"
        default: return false
        }
    }

    /// The fields of a request as the origin gets them: in their order, framing fields in their place.
    ///
    /// - Parameters:
    ///   - host: the value of Host; `nil` leaves the client's own (inside a tunnel it talks to the origin directly).
    ///   - narrowsCodings: offer only content codings that a recording can undo, if the client offers any of them.
    ///   - upgrades: pass the upgrade offer on.
    static func request(
        _ fields: [HeaderField],
        host: String?,
        narrowsCodings: Bool,
        upgrades: Bool
    ) -> [HeaderField] {
        let named = Set(fields.tokens(named: "connection") + fields.tokens(named: "proxy-connection"))
        let wantsTrailers = fields.tokens(named: "te").contains { $0.hasPrefix("trailers") }
        let offersUndoable = fields.tokens(named: "accept-encoding").contains(where: self.isUndoableCoding)
        var result: [HeaderField] = []
        result.reserveCapacity(fields.count + 2)
        for field in fields {
            let name = ASCII.lowercased(field.name)
            if upgrades, name == "upgrade" || name == "connection" {
                result.append(field)
                continue
            }
            guard !self.isHopByHop(name), !named.contains(name) || self.isEndToEnd(name) else { continue }
            switch name {
            case "host":
                result.append(HeaderField(field.name, host ?? field.value))
            case "accept-encoding" where narrowsCodings && offersUndoable:
                let undoable = self.undoable(field.value)
                if !undoable.isEmpty { result.append(HeaderField(field.name, undoable)) }
            default:
                result.append(field)
            }
        }
        if !result.contains(named: "host"), let host {
            result.insert(HeaderField("Host", host), at: 0)
        }
        if wantsTrailers, !upgrades {
            result.append(HeaderField("TE", "trailers"))
            result.append(HeaderField("Connection", "TE"))
        }
        return result
    }

    /// The fields of a response as the client gets them, without those that only Tapedeck may send (``OwnFields``);
    /// Transfer-Encoding stays, to say how the body was framed.
    static func response(_ fields: [HeaderField], upgrades: Bool = false) -> [HeaderField] {
        let named = Set(fields.tokens(named: "connection"))
        return fields.filter { field in
            let name = ASCII.lowercased(field.name)
            if upgrades, name == "upgrade" || name == "connection" { return true }
            return !self.isHopByHop(name) && !OwnFields.contains(name)
                && (!named.contains(name) || self.isEndToEnd(name))
        }
    }

    /// Fields that a Connection field may not take away: they frame the message or say whom it is for.
    private static func isEndToEnd(_ name: String) -> Bool {
        name == "host" || name == "content-length" || name == "transfer-encoding"
    }

    /// The members of an Accept-Encoding value that Tapedeck can undo, and `identity`.
    private static func undoable(_ value: String) -> String {
        value.split(separator: ",")
            .map { $0.trimmingSpaces() }
            .filter { member in
                let text = ASCII.lowercased(String(member))
                return self.isUndoableCoding(text) || text.hasPrefix("identity")
            }
            .joined(separator: ", ")
    }

    /// Returns true if a member, in lower case, offers a coding that Tapedeck can decode; a quality of zero does not.
    private static func isUndoableCoding(_ member: String) -> Bool {
        let name = String(member.prefix { $0 != ";" }.trimmingSpaces())
        let parameter = member.dropFirst(name.count).filter { $0 != " " && $0 != "\t" && $0 != ";" }
        let isRefused = parameter.hasPrefix("q=0") && !parameter.dropFirst(3).contains { $0 >= "1" && $0 <= "9" }
        return ContentCoding(name: name) != nil && !isRefused
    }
}
