public import Foundation

/// A response in a test's hands: what the tape says, to be changed and given as the answer.
public struct StubResponse: Sendable {
    /// The status code (RFC 9110 section 15).
    public var status: Int
    /// In the order of the wire.
    public var headers: [(name: String, value: String)]
    /// Without a content coding.
    public var body: Data
    /// How the tape fails the exchange; such a response stays as it is, whatever else is changed.
    public internal(set) var fault: Fault?
    /// The `URLError` that a `URLSession` meets for ``fault``, if one is named.
    public internal(set) var urlError: URLErrorName?

    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header field of a name, whatever its case; setting it replaces all of them, and `nil` removes them.
    public subscript(header name: String) -> String? {
        get { self.headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            let index = self.headers.firstIndex { $0.name.lowercased() == name.lowercased() } ?? self.headers.endIndex
            self.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { self.headers.insert((name, newValue), at: min(index, self.headers.endIndex)) }
        }
    }

    /// The body as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String {
        get { String(decoding: self.body, as: UTF8.self) }
        set { self.body = Data(newValue.utf8) }
    }

    /// The body as JSON, to be read.
    ///
    /// - Throws: ``TapedeckError`` when it is none.
    public func json() throws -> Tapedeck.JSON {
        do {
            return try Tapedeck.JSON(parsing: self.text)
        } catch {
            let type = self[header: "Content-Type"].map { " of \($0)" } ?? ""
            throw TapedeckError(.notDecodable, "the body is no JSON: \(error); it is \(self.body.count) bytes\(type)")
        }
    }

    /// Makes the body this JSON.
    public mutating func setJSON(_ json: Tapedeck.JSON) {
        self.text = json.text
    }

    /// Reads the body as JSON, has it changed, and makes it the new body.
    ///
    /// - Throws: ``TapedeckError`` when it is none; what `change` throws.
    public mutating func changeJSON(_ change: (inout Tapedeck.JSON) throws -> Void) throws {
        var json = try self.json()
        try change(&json)
        self.setJSON(json)
    }
}

// Issues, attachments and test frameworks print it: without secrets.
extension StubResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the names of the header fields and the size of the body: a tape may play real secrets, out of the
    /// environment.
    public var description: String {
        let status = self.fault.map { "\($0)" } ?? "\(self.status)"
        let names = self.headers.map(\.name).joined(separator: ", ")
        return "\(status)\(names.isEmpty ? "" : " with \(names)"), \(self.body.count) bytes"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": self.status, "headers": self.headers.map(\.name), "body": "\(self.body.count) bytes",
                "fault": self.fault as Any, "urlError": self.urlError as Any,
            ],
            displayStyle: .struct
        )
    }
}
