/// Conversations with models, as the APIs of OpenAI, Anthropic, Google and those like them write them.
struct Conversation {
    private struct Turn {
        var role: String
        var texts: [String]
        /// Parts that are no text, such as calls of tools and pictures.
        var others: [JSONValue]
    }

    private let turns: [Turn]
    /// The request without the turns.
    private let rest: JSONValue

    private static let members = ["messages", "input", "contents"]

    /// `nil` for JSON that is no request of a conversation.
    init?(_ json: JSONValue) {
        guard case .object(let members) = json,
            let name = Self.members.first(where: { json[$0] != nil }), case .array(let items)? = json[name]
        else { return nil }
        let turns = items.compactMap(Self.turn)
        guard !turns.isEmpty, turns.count == items.count else { return nil }
        self.turns = turns
        self.rest = .object(members.filter { $0.name != name })
    }

    private static func turn(_ item: JSONValue) -> Turn? {
        guard case .object(let members) = item, let role = item["role"]?.stringValue else { return nil }
        var turn = Turn(role: role, texts: [], others: [])
        for member in members where member.name != "role" {
            switch member.value {
            case .string(let text) where member.name == "content": turn.texts.append(text)
            case .array(let parts) where member.name == "content" || member.name == "parts":
                for part in parts {
                    if let text = self.text(of: part) { turn.texts.append(text) } else { turn.others.append(part) }
                }
            case .null: break
            default: turn.others.append(.object([member]))
            }
        }
        return turn
    }

    /// The text of a part that has nothing else but its type.
    private static func text(of part: JSONValue) -> String? {
        guard case .object(let members) = part, members.allSatisfy({ ["type", "text"].contains($0.name) }) else {
            return nil
        }
        return part["text"]?.stringValue
    }

    /// The settings of the request, then each turn below its role.
    var lines: [String] {
        let rest = self.rest == .object([]) ? [] : ReadableBody.lines(of: self.rest.compactText, mediaType: nil)
        return rest
            + self.turns.flatMap { turn in
                let others = turn.others.flatMap { ReadableBody.lines(of: $0.compactText, mediaType: nil) }
                return ["\(turn.role.printable):"] + (turn.texts.flatMap(ReadableBody.split) + others).map { "  \($0)" }
            }
    }

    // MARK: Streams

    /// The whole text that the events of a stream write piece by piece; `nil` where they write none.
    static func text(of stream: String) -> String? {
        var text = ""
        for line in stream.split(whereSeparator: \.isNewline) where line.hasPrefix("data:") {
            guard let event = try? JSONValue(parsing: Array(line.dropFirst(5).utf8)) else { continue }
            text += self.piece(event) ?? ""
        }
        return text.isEmpty ? nil : text
    }

    private static func piece(_ event: JSONValue) -> String? {
        if event["type"]?.stringValue == "response.output_text.delta" { return event["delta"]?.stringValue }
        if event["type"]?.stringValue == "content_block_delta" { return event["delta"]?["text"]?.stringValue }
        if case .array(let choices)? = event["choices"] { return choices.first?["delta"]?["content"]?.stringValue }
        guard case .array(let candidates)? = event["candidates"],
            case .array(let parts)? = candidates.first?["content"]?["parts"]
        else { return nil }
        return parts.compactMap { $0["text"]?.stringValue }.joined()
    }
}
