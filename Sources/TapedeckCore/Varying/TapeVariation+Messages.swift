import TapedeckProtobuf

/// Messages of calls, and bodies of protobuf.
extension VariationSearch {
    /// True if the messages so far begin the call of a set whose answer comes after all of them.
    var mayGoOn: Bool {
        self.candidates(hasBody: false).contains { number in
            let entry = self.tape.entries[number]
            let isPlain = entry.set.variants.flatMap(\.behaviour.allTakes).allSatisfy { $0.messageOrder == nil }
            guard isPlain, case .messages(let messages)? = entry.set.request.body.first,
                var comparison = self.comparison(number)
            else { return false }
            return self.isSameTarget(entry, &comparison) && self.conditionsHold(entry, &comparison)
                && self.areSame(messages.counting(self.tape.cassettes[entry.cassette].matching), &comparison)
        }
    }

    /// Of a call that goes on, the messages so far are compared.
    func areSame(_ wanted: MessagesMatcher, _ comparison: inout VaryingComparison) -> Bool {
        guard !wanted.isOpen, let messages = self.shown.messages(wanted.type),
            self.shown.hasPartOfBody ? messages.count <= wanted.items.count : messages.count == wanted.items.count
        else { return false }
        return zip(wanted.items, messages).enumerated().allSatisfy { number, pair in
            let (conditions, message) = pair
            guard conditions.count == 1, let bytes = message.bodyBytes else { return false }
            let place = wanted.items.count == 1 ? "$" : "message \(number + 1) $"
            switch wanted.typed(conditions[0]) {
            case .json(let body, let rule):
                guard let one = JSONValue.inBody(body), let other = message.wholeJSON else { return false }
                return comparison.isSame(rule.counting(one), rule.counting(other), at: place)
            case .proto(let condition):
                guard let other = ProtobufMessage(parsing: bytes) else { return false }
                return comparison.isSame(
                    condition.counting(condition.message).json,
                    condition.counting(other).json,
                    at: place
                )
            case .bytes(let body): return body.decoded == bytes
            default: return false
            }
        }
    }

    /// A message that is the whole body.
    func isSameMessage(_ wanted: [UInt8], _ live: [UInt8], _ comparison: inout VaryingComparison) -> Bool {
        guard wanted != live else { return true }
        guard let one = ProtobufMessage(parsing: wanted), let other = ProtobufMessage(parsing: live) else {
            return false
        }
        return comparison.isSame(one.json, other.json, at: "$")
    }
}
