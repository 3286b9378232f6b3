import TapedeckCore
import TapedeckHTTP1

/// The fields that end at this hop and are set again (RFC 9110 section 7.6.1).
///
/// Tapedeck adds no Via field: it should change the messages of both ends no more than necessary.
enum HopByHop {
    /// True for the fields that end at any hop. The length of a name rules out nearly all, which costs less than a copy of it
    /// in lower case.
    private static func isHopByHop(_ field: HeaderField) -> Bool {
        switch field.name.utf8.count {
        case 2: field.isNamed("te")
        case 7: field.isNamed("upgrade")
        case 10: field.isNamed("connection") || field.isNamed("keep-alive")
        case 16: field.isNamed("proxy-connection")
        case 18: field.isNamed("proxy-authenticate")
        case 19: field.isNamed("proxy-authorization")
        case 25: field.isNamed("proxy-authentication-info")
        default: false
        }
    }

    /// Returns true for a field that the Connection field removes.
    ///
    /// - Parameter named: the names in it, in lower case.
    private static func isTaken(_ field: HeaderField, by named: [String]) -> Bool {
        !named.isEmpty && named.contains { field.isNamed($0) } && !self.isEndToEnd(field)
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
        let named = fields.tokens(named: "connection") + fields.tokens(named: "proxy-connection")
        let wantsTrailers = fields.tokens(named: "te").contains { $0.hasPrefix("trailers") }
        let offersUndoable = fields.tokens(named: "accept-encoding").contains(where: self.isUndoableCoding)
        var result: [HeaderField] = []
        result.reserveCapacity(fields.count + 2)
        for field in fields {
            if upgrades, field.isNamed("upgrade") || field.isNamed("connection") {
                result.append(field)
                continue
            }
            if wantsTrailers, !upgrades, field.isNamed("te") {
                if !result.contains(named: "te") { result.append(HeaderField(field.name, "trailers")) }
                continue
            }
            guard !self.isHopByHop(field), !self.isTaken(field, by: named) else { continue }
            if let host, field.isNamed("host") {
                result.append(HeaderField(field.name, host))
            } else if narrowsCodings, offersUndoable, field.isNamed("accept-encoding") {
                let undoable = self.undoable(field.value)
                if !undoable.isEmpty { result.append(HeaderField(field.name, undoable)) }
            } else {
                result.append(field)
            }
        }
        if !result.contains(named: "host"), let host {
            result.insert(HeaderField("Host", host), at: 0)
        }
        if wantsTrailers, !upgrades { result.append(HeaderField("Connection", "TE")) }
        return result
    }

    /// The fields of a response as the client gets them, without those that only Tapedeck may send (``OwnFields``);
    /// Transfer-Encoding stays, to say how the body was framed.
    static func response(_ fields: [HeaderField], upgrades: Bool = false) -> [HeaderField] {
        let named = fields.tokens(named: "connection")
        return fields.filter { field in
            if upgrades, field.isNamed("upgrade") || field.isNamed("connection") { return true }
            return !self.isHopByHop(field) && !OwnFields.contains(field) && !self.isTaken(field, by: named)
        }
    }

    /// The fields of an interim response as the client gets them, without those that frame a body, which it must not have (RFC
    /// 9110 section 8.6, RFC 9112 section 6.1).
    static func interim(_ fields: [HeaderField]) -> [HeaderField] {
        self.response(fields).filter { !$0.isNamed("content-length") && !$0.isNamed("transfer-encoding") }
    }

    /// Returns true for fields that a Connection field must not remove: they frame the message or name its target.
    private static func isEndToEnd(_ field: HeaderField) -> Bool {
        field.isNamed("host") || field.isNamed("content-length") || field.isNamed("transfer-encoding")
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
