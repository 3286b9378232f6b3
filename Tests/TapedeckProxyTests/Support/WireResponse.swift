import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

@testable import TapedeckProxy

/// A response as a client reads it.
struct WireResponse: Sendable {
    var status: Int
    var reason: String
    var fields: [HeaderField]
    var body: String

    init(status: Int, reason: String, fields: [HeaderField], body: String) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
    }

    /// `nil` while it is not complete.
    init?(_ bytes: [UInt8], isHead: Bool) {
        var scanner = ResponseScanner()
        let head = bytes.withUnsafeBytes { bytes -> (end: Int, head: ResponseHead)? in
            guard case .complete(let end) = scanner.scan(bytes) else { return nil }
            return (end, scanner.head(bytes))
        }
        guard let (end, head) = head else { return nil }
        let length =
            isHead || head.status == 200 && head.reason == "Connection Established"
            ? 0 : scanner.fields.contentLength ?? 0
        guard bytes.count >= end + length else { return nil }
        self.init(
            status: head.status,
            reason: head.reason,
            fields: head.fields,
            body: String(decoding: bytes[end..<(end + length)], as: UTF8.self)
        )
    }

    subscript(_ name: String) -> String? { self.fields.first(named: name) }
}
