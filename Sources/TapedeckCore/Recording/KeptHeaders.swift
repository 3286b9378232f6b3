/// The header fields of a request that its take notes, for readers of the cassette.
///
/// The usual ones describe the request beyond method and URL and are alike on every machine: `accept` (unless it
/// accepts anything), `prefer`, `range`, the preconditions (such as `if-match`, RFC 9110 section 13.1), and versions of
/// an API (`…api-version`); and ids made for the request that its answer has, too. The range and the preconditions are noted in any case, because they select the answer. Fields
/// in a condition of the response set are not repeated. `content-type` is noted with the body.
package struct KeptHeaders: Sendable, Equatable {
    /// An invalid list of fields, with advice.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private enum Base: Sendable {
        case none, usual, all
    }

    private var base: Base
    /// Kept in addition to them; in lower case.
    private var names: Set<String> = []

    /// The usual ones.
    package static let usual = KeptHeaders(base: .usual)

    private init(base: Base) {
        self.base = base
    }

    /// - Parameter text: `*`, `none`, or names to keep in addition to the usual ones, such as `User-Agent,X-Tenant`.
    ///   `none` with names keeps only these names.
    /// - Throws: ``Problem``.
    package init(_ text: String) throws(Problem) {
        self.base = .usual
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = ASCII.lowercased(String(item.trimmingSpaces()))
            switch name {
            case "*": self.base = .all
            case "none": self.base = .none
            default:
                guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else {
                    throw Problem(
                        description: "`\(item)` is no name of a header field; write names and commas between them, `*` "
                            + "for all, or `none`"
                    )
                }
                self.names.insert(name)
            }
        }
    }

    /// Returns true if the field is named as one to keep.
    ///
    /// - Parameter name: in lower case.
    package func names(_ name: String) -> Bool { self.names.contains(name) }

    /// Fields of this connection, of its framing, or redundant with the URL; and `content-type`, which is noted with
    /// the body.
    private static let neverNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "expect", "host", "content-length", "content-type",
    ]

    /// Returns the fields of a request to note, in their order.
    ///
    /// - Parameters:
    ///   - said: the names of fields in the response set's conditions, which are left out.
    ///   - answer: `nil` if it is not known.
    package func fields(
        of request: [HeaderField],
        said: [String],
        answer: RecordedResponse? = nil
    ) -> [HeaderField] {
        request.filter { field in
            let name = ASCII.lowercased(field.name)
            guard !Self.neverNames.contains(name), !name.hasPrefix("x-tapedeck-"),
                !said.contains(where: { ASCII.equalsIgnoringCase($0, name) })
            else { return false }
            if self.names.contains(name) || SelectingFields.names.contains(name) { return true }
            switch self.base {
            case .none: return false
            case .all: return true
            case .usual:
                return Self.isUsual(name, field.value)
                    || EchoedField.isEchoable(field) && answer.map { EchoedField.isIn($0, field.value) } ?? false
            }
        }
    }

    private static func isUsual(_ name: String, _ value: String) -> Bool {
        if name == "accept" { return !value.contains("*/*") }
        return name == "prefer" || name.hasSuffix("api-version")
    }
}
