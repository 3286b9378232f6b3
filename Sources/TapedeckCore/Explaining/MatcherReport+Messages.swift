import TapedeckProtobuf

/// The messages of calls.
extension MatcherReport {
    /// No further message is compared after this many differences.
    private static var differenceLimit: Int { 5 }

    /// The parts of a condition on the messages of a call.
    func messages(_ condition: MessagesCondition, isMet: Bool, judged: RequestFacts) -> [MatchPart] {
        guard let messages = judged.messages(condition.type) else {
            return [MatchPart(name: "body", wanted: "messages of gRPC", came: "none", isMet: false)]
        }
        let count = MatchPart(
            name: "messages",
            wanted: condition.countText,
            came: "\(messages.count)",
            isMet: condition.takes(count: messages.count, isPart: judged.hasPartOfBody)
        )
        guard !isMet else { return [count] }
        var parts = count.isMet ? [] : [count]
        let shown = self.request.shown.messages(condition.type) ?? []
        for (index, (conditions, message)) in zip(condition.items, messages).enumerated() {
            for condition in conditions where !condition.holds(for: message) {
                let view = index < shown.count ? shown[index] : message
                parts += self.body(condition, isMet: false, judged: message, shown: view).map { part in
                    var part = part
                    let place = part.name.hasPrefix("body") ? part.name.dropFirst("body".count) : " \(part.name)"
                    part.name = "message \(index + 1)\(place)"
                    return part
                }
            }
            guard parts.count < Self.differenceLimit else { break }
        }
        return parts
    }

    /// The parts of a condition on the fields of a message.
    func fields(
        _ condition: ProtobufCondition,
        isMet: Bool,
        judged: RequestFacts,
        shown: RequestFacts
    ) -> [MatchPart] {
        guard let bytes = judged.bodyBytes, let message = ProtobufMessage(parsing: bytes) else {
            return [MatchPart(name: "body", wanted: "a message of protobuf", came: "none", isMet: false)]
        }
        guard !isMet else { return [MatchPart(name: "body", wanted: "these fields", came: "they", isMet: true)] }
        let visible = shown.bodyBytes.flatMap { ProtobufMessage(parsing: $0) }
        return condition.differences(message).prefix(Self.differenceLimit).map { place in
            guard let path = ProtobufPath(place) else {
                return MatchPart(name: "body", wanted: "fields in this order", came: "in another", isMet: false)
            }
            return MatchPart(
                name: "body field \(place)",
                wanted: Self.text(condition.message.values(at: path)) ?? "nothing",
                came: visible.flatMap { Self.text($0.values(at: path)) },
                isMet: false
            )
        }
    }

    /// The values of a field for people; `nil` if there are none.
    private static func text(_ values: [ProtobufMessage.Value]) -> String? {
        guard !values.isEmpty else { return nil }
        let texts = values.map { value in
            switch value {
            case .varint(let number), .fixed64(let number): "\(number)"
            case .fixed32(let number): "\(number)"
            case .group: "a group"
            case .bytes(let bytes):
                switch value.content {
                case .text(let text)?: SecretMasking.conceals(text, false) ? "(not shown)" : "\"\(text)\""
                case .message?: "a message"
                default: "\(bytes.count) bytes"
                }
            }
        }
        return SecretMasking.short(texts.joined(separator: ", "))
    }
}
