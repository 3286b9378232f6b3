import Foundation
import TapedeckControlAPI

/// Headers and body as texts show them, with placeholders in place of secrets.
struct ShownMessage: Sendable {
    var headers: [(name: String, value: String)]
    /// The beginning of a body that is text.
    var text: String?

    func body(size: Int) -> String {
        guard let text = self.text, !text.isEmpty else { return "\(size) bytes" }
        return "\(size) bytes: \(text)"
    }

    func text(bodySize: Int) -> String {
        (self.headers.map { "\($0.name): \($0.value)" } + [self.body(size: bodySize)]).joined(separator: "; ")
    }
}

/// Reads bodies of requests and responses.
protocol MessageBody {
    var body: Data { get }
    var isCut: Bool { get }
    var shown: ShownMessage? { get }
}

extension MessageBody {
    func parsedJSON() throws -> Tapedeck.JSON {
        do {
            return try Tapedeck.JSON(parsing: String(decoding: self.body, as: UTF8.self))
        } catch {
            throw TapedeckError(.notDecodable, "the body is no JSON: \(error); \(self.summary)")
        }
    }

    func decodedJSON<Value: Decodable>(_ type: Value.Type, _ decoder: JSONDecoder) throws -> Value {
        do {
            return try decoder.decode(type, from: self.body)
        } catch {
            throw TapedeckError(.notDecodable, "the body is no JSON for \(type): \(error); \(self.summary)")
        }
    }

    /// The description of a body that is not JSON, for the end of a message.
    private var summary: String {
        let cut = self.isCut ? "the deck kept no more than its first \(self.body.count) bytes; " : ""
        guard let text = self.shown?.text else { return "\(cut)it is \(self.body.count) bytes" }
        return "\(cut)it is: \(text)"
    }
}

extension [(name: String, value: String)] {
    /// The first value of a name, whatever its case.
    func value(of name: String) -> String? {
        self.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Replaces all fields of a name; `nil` removes them.
    mutating func set(_ name: String, _ value: String?) {
        let index = self.firstIndex { $0.name.lowercased() == name.lowercased() } ?? self.endIndex
        self.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { self.insert((name, value), at: Swift.min(index, self.endIndex)) }
    }
}

/// Headers and body of a journal entry.
struct JournalMessage {
    var headers: [(name: String, value: String)]
    var body: Data
    var isCut: Bool
    var shown: ShownMessage

    init(_ message: JournalEntryModel.Message?) {
        self.headers = Self.fields(message?.headers)
        let body = message?.body
        self.body = body?.text.map { Data($0.utf8) } ?? body?.base64.flatMap { Data(base64Encoded: $0) } ?? Data()
        self.isCut = body?.isCut ?? false
        self.shown = ShownMessage(
            headers: Self.fields(message?.shownHeaders ?? message?.headers),
            text: (body?.shownText ?? body?.text).map { String($0.prefix(200)) }
        )
    }

    private static func fields(_ headers: [[String]]?) -> [(name: String, value: String)] {
        (headers ?? []).map { ($0.first ?? "", $0.dropFirst().first ?? "") }
    }
}

extension URL {
    /// The URL of a text that a deck wrote, which escapes what Foundation would not take.
    init(ofJournal text: String) {
        self =
            URL(string: text) ?? URL(string: text, encodingInvalidCharacters: true)
            ?? URL(filePath: "/", directoryHint: .isDirectory)
    }
}
