import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Secrets that a stream sends piece by piece.
@Suite struct StreamTextTests {
    private static let token = "ghp_e7AuTVOgKA1maYeZyKkejePlCRDxfmlM8B6L"
    private static let key = "sk-proj-ROnr3vQZnlFACyuH1QhfK2KvzUV3MSq4KDXp1MMHFhALDzGQxRhBM6wytOMAxT0ass7awJ"

    /// A text in pieces of so many characters, and what is before and behind it.
    private static func pieces(_ text: String, _ count: Int) -> [String] {
        let all = Array("see \(text) there")
        return stride(from: 0, to: all.count, by: count).map { String(all[$0..<min($0 + count, all.count)]) }
    }

    private static func quoted(_ text: String) -> String { JSONText.string(text).compact }

    static let streams: [(name: String, type: String, event: @Sendable (String) -> String)] = [
        (
            "OpenAI", "text/event-stream",
            { "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\(quoted($0))}}]}\n\n" }
        ),
        (
            "Responses", "text/event-stream",
            { "event: response.output_text.delta\ndata: {\"output_index\":0,\"delta\":\(quoted($0))}\n\n" }
        ),
        (
            "Anthropic", "text/event-stream; charset=utf-8",
            {
                "event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\(quoted($0))}}\n\n"
            }
        ),
        (
            "Cohere", "application/stream+json",
            { "{\"is_finished\":false,\"event_type\":\"text-generation\",\"text\":\(quoted($0))}\n" }
        ),
        ("Ollama", "application/x-ndjson", { "{\"model\":\"m\",\"response\":\(quoted($0)),\"done\":false}\n" }),
    ]

    @Test(arguments: 0..<5, [1, 2, 5, 12, 39])
    func `a token in pieces becomes one placeholder, and the events stay`(stream: Int, size: Int) throws {
        let (_, type, event) = Self.streams[stream]
        for secret in [Self.token, Self.key] {
            let body = Self.pieces(secret, size).map(event).joined()
            let redacted = try redactor().redacted(body, type: type)
            #expect(redacted.contains("{{secret."))
            #expect(redacted.split(separator: "\n").count == body.split(separator: "\n").count)
            let joined = try Self.joined(redacted)
            #expect(joined.hasPrefix("see {{secret.") && joined.hasSuffix("}} there"), "\(joined)")
        }
    }

    /// The texts of all pieces.
    private static func joined(_ body: String) throws -> String {
        func texts(_ value: JSONValue, _ name: String) -> [String] {
            switch value {
            case .string(let text): ["content", "delta", "text", "response"].contains(name) ? [text] : []
            case .object(let members): members.flatMap { texts($0.value, $0.name) }
            case .array(let items): items.flatMap { texts($0, name) }
            default: []
            }
        }
        return try body.split(separator: "\n").filter { $0.contains("{") && !$0.hasPrefix("event") }.flatMap { line in
            texts(try JSONValue(parsing: Array(line[(line.firstIndex(of: "{") ?? line.startIndex)...].utf8)), "")
        }.joined()
    }

    @Test(arguments: [1, 5, 12]) func `the data of events may be the text itself`(size: Int) throws {
        let body = Self.pieces(Self.token, size).map { "event: token\ndata: \($0)\n\n" }.joined() + "data: [DONE]\n\n"
        let redacted = try redactor().redacted(body, type: "text/event-stream")
        #expect(redacted.split(separator: "\n").count == body.split(separator: "\n").count)
        let joined = redacted.split(separator: "\n").filter { $0.hasPrefix("data: ") && !$0.contains("DONE") }
            .map { String($0.dropFirst(6)) }.joined()
        #expect(joined == "see {{secret.github_token#1}} there")
    }

    @Test func `a list of answers is a stream`() throws {
        let items = Self.pieces(Self.token, 7).map {
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\(Self.quoted($0))}]}}]}"
        }
        let redacted = try redactor().redacted("[\(items.joined(separator: "\n,\r\n"))]", type: "application/json")
        #expect(redacted.contains("{{secret.github_token"))
        #expect(!redacted.contains("e7AuTVO"))
    }

    @Test func `a secret is one by a name in an earlier piece`() throws {
        let body = ["{\"pass", "word\": \"", "SirW0aTQ", "rYddYaGM\"}"].map { piece in
            "data: {\"delta\":{\"partial_json\":\(Self.quoted(piece))}}\n\n"
        }
        let redacted = try redactor().redacted(body.joined(), type: "text/event-stream")
        #expect(redacted.contains("{{secret.password"))
        #expect(!redacted.contains("SirW0aTQ") && !redacted.contains("rYddYaGM"))
    }

    @Test func `sealed values, other texts and records stay`() throws {
        let pieces = Self.pieces(Self.token, 10)
        let sealed = pieces.map { "data: {\"delta\":{\"signature\":\(Self.quoted($0))}}\n\n" }.joined()
        #expect(try redactor().redacted(sealed, type: "text/event-stream") == sealed)
        // Two texts that come by turns are not one.
        let turns = pieces.enumerated().map {
            "data: {\"index\":\($0.offset % 2),\"delta\":\(Self.quoted($0.element))}\n\n"
        }
        .joined()
        #expect(try redactor().redacted(turns, type: "text/event-stream") == turns)
        let records = pieces.map { "{\"name\":\(Self.quoted($0))}\n" }.joined()
        #expect(try redactor().redacted(records, type: "application/x-ndjson") == records)
    }
}
