import TapedeckCore

/// Which fields end at this hop, and what is said anew (RFC 9110 section 7.6.1).
///
/// Tapedeck adds no Via field: a stand-in should not change what either end sees more than it must.
enum HopByHop {
    private static let always: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
        "proxy-authentication-info", "te", "upgrade",
    ]

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
        var result: [HeaderField] = []
        result.reserveCapacity(fields.count + 2)
        for field in fields {
            let name = ASCII.lowercased(field.name)
            if upgrades, name == "upgrade" || name == "connection" {
                result.append(field)
                continue
            }
            guard !self.always.contains(name), !named.contains(name) || self.isEndToEnd(name) else { continue }
            switch name {
            case "host":
                result.append(HeaderField(field.name, host ?? field.value))
            case "accept-encoding" where narrowsCodings:
                result.append(HeaderField(field.name, self.narrowed(field.value)))
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

    /// The fields of a response as the client gets them; Transfer-Encoding stays, to say how the body was framed.
    static func response(_ fields: [HeaderField], upgrades: Bool = false) -> [HeaderField] {
        let named = Set(fields.tokens(named: "connection"))
        return fields.filter { field in
            let name = ASCII.lowercased(field.name)
            if upgrades, name == "upgrade" || name == "connection" { return true }
            return !self.always.contains(name) && (!named.contains(name) || self.isEndToEnd(name))
        }
    }

    /// Fields that a Connection field may not take away: they frame the message or say whom it is for.
    private static func isEndToEnd(_ name: String) -> Bool {
        name == "host" || name == "content-length" || name == "transfer-encoding"
    }

    /// The members of an Accept-Encoding value that Tapedeck can undo; the value as it is when there are none.
    private static func narrowed(_ value: String) -> String {
        let members = value.split(separator: ",").map { $0.trimmingSpaces() }
        let undoable = members.filter { member in
            let name = ASCII.lowercased(String(member.prefix { $0 != ";" }.trimmingSpaces()))
            return ContentCoding(fieldValue: name) != nil || name == "identity"
        }
        let offersCoding = undoable.contains { !ASCII.lowercased(String($0)).hasPrefix("identity") }
        return offersCoding ? undoable.joined(separator: ", ") : value
    }
}
