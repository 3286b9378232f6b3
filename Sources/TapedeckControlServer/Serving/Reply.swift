import HTTPTypes
import Hummingbird
import NIOCore
import TapedeckControlAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes responses.
enum Reply {
    /// A model as JSON.
    static func json(_ model: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        self.bytes(try self.encode(model), "application/json", status: status)
    }

    static func text(_ text: String, _ mediaType: String) -> Response {
        self.bytes(Array(text.utf8), mediaType)
    }

    static func bytes(_ bytes: [UInt8], _ mediaType: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    static var nothing: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }

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
            status: HTTPResponse.Status(code: self.model.status)
        )
        for header in self.headers {
            if let name = header.first.flatMap({ HTTPField.Name($0) }) { response.headers[name] = header.last }
        }
        return response
    }
}
