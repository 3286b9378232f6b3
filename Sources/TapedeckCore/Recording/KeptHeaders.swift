/// Which header fields of a request are noted in its take, for whoever reads the cassette.
///
/// The usual ones say what was asked for beyond method and URL and are the same on every machine: what the client would
/// take (`accept`, unless it takes anything), `prefer`, `range`, the preconditions (`if-match` and its like, RFC 9110
/// section 13.1), and versions of an API (`…api-version`). What a condition of the response set says is not said again.
/// `content-type` is noted where the body is, to say what that is.
package struct KeptHeaders: Sendable, Equatable {
    /// Why a text is no list of fields, with what to write.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private enum Base: Sendable {
        case none, usual, all
    }

    private var base: Base
    /// Kept beside them; in lower case.
    private var names: Set<String> = []

    /// The usual ones.
    package static let usual = KeptHeaders(base: .usual)

    private init(base: Base) {
        self.base = base
    }

    /// `*`, `none`, or names to be kept beside the usual ones, such as `User-Agent,X-Tenant`. `none` and names are these
    /// names alone.
    ///
    /// - Throws: ``Problem``.
    package init(_ text: String) throws(Problem) {
        self.base = .usual
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = ASCII.lowercased(String(item.trimmingSpaces()))
            switch name {
            case "*": self.base = .all
            case "none": self.base = .none
            default:
                guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
                    throw Problem(
                        description: "`\(item)` is no name of a header field; write names and commas between them, `*` "
                            + "for all, or `none`"
                    )
                }
                self.names.insert(name)
            }
        }
    }

    private static let usualNames: Set<String> = [
        "prefer", "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
    /// Of this connection, of its framing, or said by the URL; and `content-type`, which goes with the body.
    private static let neverNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "expect", "host", "content-length", "content-type",
    ]

    /// Those of a request's fields to be noted, in their order.
    ///
    /// - Parameter said: the names of fields that the response set asks for, which are left out.
    package func fields(of request: [HeaderField], said: [String]) -> [HeaderField] {
        request.filter { field in
            let name = ASCII.lowercased(field.name)
            guard !Self.neverNames.contains(name), !name.hasPrefix("x-tapedeck-"),
                !said.contains(where: { ASCII.equalsIgnoringCase($0, name) })
            else { return false }
            if self.names.contains(name) { return true }
            switch self.base {
            case .none: return false
            case .all: return true
            case .usual: return Self.isUsual(name, field.value)
            }
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || "!#$%&'*+^`|".utf8.contains(byte)
    }

    private static func isUsual(_ name: String, _ value: String) -> Bool {
        if name == "accept" { return !value.contains("*/*") }
        return self.usualNames.contains(name) || name.hasSuffix("api-version")
    }
}
