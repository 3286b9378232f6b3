public import Foundation

extension Tapedeck {
    /// A request that a session saw.
    ///
    /// Its description, and what test frameworks print of it, has placeholders in place of secrets; its properties have the
    /// secrets.
    public struct Request: Sendable {
        /// As it was sent: case matters (RFC 9110 section 9.1).
        public let method: String
        /// The whole URL, in the form that cassettes compare.
        public let url: URL
        /// In the order and case of the wire.
        public let headers: [(name: String, value: String)]
        /// Without its content coding.
        public private(set) var body: Data
        /// True if ``body`` is incomplete: a deck keeps the first MiB of a body in its journal, less if the journal is full.
        /// Stubs and held requests have all of it.
        public private(set) var isCut: Bool
        let shown: ShownMessage?
        /// ``url`` with placeholders in place of its secrets, for texts.
        let shownURL: String

        /// Returns the request with all of its body.
        func with(body: Data) -> Request {
            var copy = self
            copy.body = body
            copy.isCut = false
            return copy
        }
    }
}

extension Tapedeck.Request: MessageBody {
    /// The first header field of a name, whatever its case.
    public subscript(header name: String) -> String? { self.headers.value(of: name) }

    /// The part of the URL before its query, as in `/users/7`.
    public var path: String {
        let path = self.url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    /// The value of a query parameter, decoded; the first one of that name.
    public func query(_ name: String) -> String? {
        URLComponents(url: self.url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }

    /// The body as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String { String(decoding: self.body, as: UTF8.self) }

    /// The body as JSON.
    ///
    /// - Throws: ``TapedeckError`` that says what the body is, when it is something else.
    public func json() throws -> Tapedeck.JSON { try self.parsedJSON() }

    /// The body, decoded from JSON.
    ///
    /// - Throws: ``TapedeckError`` that says what the body is, when it is something else.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try self.decodedJSON(type, decoder)
    }
}

extension Tapedeck.Request: CustomStringConvertible, CustomReflectable {
    /// Method, URL, header fields and the beginning of the body, with placeholders in place of secrets.
    public var description: String {
        let message = self.shown?.text(bodySize: self.body.count) ?? "\(self.body.count) bytes"
        return "\(self.method) \(self.shownURL); \(message)"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": self.method, "url": self.shownURL, "headers": self.shown?.headers as Any,
                "body": self.shown?.body(size: self.body.count) as Any, "isCut": self.isCut,
            ],
            displayStyle: .struct
        )
    }
}

extension Tapedeck.Request: Equatable {
    public static func == (one: Self, other: Self) -> Bool {
        one.method == other.method && one.url == other.url
            && one.body == other.body && one.isCut == other.isCut
            && one.headers.elementsEqual(other.headers) { $0.name == $1.name && $0.value == $1.value }
    }
}
