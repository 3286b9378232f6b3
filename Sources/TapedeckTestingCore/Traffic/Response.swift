public import Foundation

extension Tapedeck {
    /// A response: what a client got, what the tape says, or what a test gives as the answer.
    ///
    /// Its description, and what test frameworks print of it, has no secrets; its properties may have some.
    public struct Response: Sendable {
        /// The status code (RFC 9110 section 15).
        public var status: Int
        /// In the order and case of the wire.
        public var headers: [(name: String, value: String)]
        /// Without its content coding.
        public var body: Data
        /// True if ``body`` is incomplete: a deck limits the size of a body that it keeps, and of all bodies together.
        public let isCut: Bool
        /// The fault that ends the exchange; such a response stays as it is, whatever else is changed.
        public internal(set) var fault: Tapedeck.Fault?
        /// The `URLError` that a `URLSession` meets for ``fault``, if one is named.
        public internal(set) var urlError: Tapedeck.URLErrorName?
        let shown: ShownMessage?

        public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Data = Data()) {
            self.init(status: status, headers: headers, body: body, isCut: false, shown: nil)
        }

        init(
            status: Int,
            headers: [(name: String, value: String)],
            body: Data,
            isCut: Bool,
            shown: ShownMessage?
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isCut = isCut
            self.shown = shown
        }
    }
}

extension Tapedeck.Response: MessageBody {
    /// The first header field of a name, whatever its case; setting it replaces all of them, and `nil` removes them.
    public subscript(header name: String) -> String? {
        get { self.headers.value(of: name) }
        set { self.headers.set(name, newValue) }
    }

    /// The body as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String {
        get { String(decoding: self.body, as: UTF8.self) }
        set { self.body = Data(newValue.utf8) }
    }

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

    /// Reads the body as JSON, has it changed, and makes it the new body.
    ///
    /// - Throws: ``TapedeckError`` when it is none; what `change` throws.
    public mutating func changeJSON(_ change: (inout Tapedeck.JSON) throws -> Void) throws {
        var json = try self.json()
        try change(&json)
        self.text = json.text
    }
}

extension Tapedeck.Response: CustomStringConvertible, CustomReflectable {
    /// The status, the header fields and the beginning of the body, with placeholders in place of secrets. Of a response
    /// that may play real secrets out of the environment, the names of the fields and the size of the body.
    public var description: String {
        let status = self.fault.map { "\($0)" } ?? "\(self.status)"
        if let shown = self.shown { return "\(status); \(shown.text(bodySize: self.body.count))" }
        let names = self.headers.map(\.name).joined(separator: ", ")
        return "\(status)\(names.isEmpty ? "" : " with \(names)"), \(self.body.count) bytes"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": self.status,
                "headers": self.shown?.headers as Any? ?? self.headers.map(\.name) as Any,
                "body": self.shown?.body(size: self.body.count) ?? "\(self.body.count) bytes",
                "fault": self.fault as Any, "urlError": self.urlError as Any,
            ],
            displayStyle: .struct
        )
    }
}

extension Tapedeck.Response: Equatable {
    public static func == (one: Self, other: Self) -> Bool {
        one.status == other.status && one.fault == other.fault && one.urlError == other.urlError
            && one.body == other.body && one.isCut == other.isCut
            && one.headers.elementsEqual(other.headers) { $0.name == $1.name && $0.value == $1.value }
    }
}
