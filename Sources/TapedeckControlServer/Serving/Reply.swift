import TapedeckControlAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes responses.
enum Reply {
    /// A model as JSON.
    static func json(_ model: some Encodable, status: Int = 200) throws -> Response {
        self.bytes(try self.encode(model), "application/json", status: status)
    }

    static func text(_ text: String, _ mediaType: String) -> Response {
        self.bytes(Array(text.utf8), mediaType)
    }

    static func bytes(_ bytes: [UInt8], _ mediaType: String, status: Int = 200) -> Response {
        Response(status: status, [("Content-Type", mediaType), ("Cache-Control", "no-store")], .bytes(bytes))
    }

    static var nothing: Response { Response(status: 204, [("Cache-Control", "no-store")]) }

    /// A model as JSON on one line. Members are sorted, so that the same model gives the same bytes.
    static func encode(_ model: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(model))
    }
}

extension Problem {
    var response: Response {
        let body = (try? Reply.encode(self.model)) ?? []
        var response = Reply.bytes(
            body,
            "application/problem+json",
            status: self.model.status
        )
        for header in self.headers {
            if let name = header.first { response[name] = header.last }
        }
        return response
    }
}
