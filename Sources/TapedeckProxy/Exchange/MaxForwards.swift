import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// `Max-Forwards` limits how often TRACE and OPTIONS are forwarded (RFC 9110 section 7.6.2).
enum MaxForwards {
    /// True for the methods that the field is for.
    static func applies(to method: String) -> Bool { method == "TRACE" || method == "OPTIONS" }

    /// Counts this hop. Returns the forwarded value, -1 if the request may not be forwarded, or `nil` if the field is
    /// missing or not a number.
    static func decrement(_ fields: inout [HeaderField]) -> Int? {
        guard let index = fields.firstIndex(where: { $0.isNamed("max-forwards") }),
            let value = Int(fields[index].value), value >= 0
        else { return nil }
        guard value > 0 else { return -1 }
        fields[index].value = String(value - 1)
        return value - 1
    }

    /// The request as received, without its credentials (RFC 9110 section 9.3.8).
    static func reflection(of line: RequestLine, _ fields: [HeaderField]) -> LocalResponse {
        var bytes = Array("\(line.method) \(line.url) HTTP/1.1\r\n".utf8)
        WireHead.append(fields.filter { !$0.isNamed("authorization") && !$0.isNamed("cookie") }, to: &bytes)
        return LocalResponse(status: 200, mediaType: "message/http", body: bytes + Array("\r\n".utf8))
    }
}
