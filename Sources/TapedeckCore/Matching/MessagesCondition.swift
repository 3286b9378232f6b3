import TapedeckProtobuf

/// A ``MessagesMatcher``, ready to be asked.
struct MessagesCondition: Sendable {
    /// The conditions on each message.
    let items: [[Condition]]
    /// The type of the messages, where a descriptor says it.
    let type: MessageType?
    /// True if more messages may follow.
    let isOpen: Bool

    init(_ matcher: MessagesMatcher) {
        self.items = matcher.items.map { $0.map { Condition(matcher.typed($0)) } }
        self.type = matcher.type
        self.isOpen = matcher.isOpen
    }

    func holds(for request: RequestFacts) -> Bool {
        self.goesOn(request, after: 0, isWhole: !request.hasPartOfBody)
    }

    /// Returns true if the messages of a call that come after the first `count`, which are those of `request`, are met as well.
    ///
    /// - Parameter isWhole: true if no more messages are to come.
    func goesOn(_ request: RequestFacts, after count: Int, isWhole: Bool) -> Bool {
        guard let messages = request.messages(self.type),
            self.takes(count: count + messages.count, isPart: !isWhole)
        else { return false }
        return zip(self.items.dropFirst(count), messages).allSatisfy { conditions, message in
            conditions.allSatisfy { $0.holds(for: message) }
        }
    }

    /// - Parameter isPart: true if more messages are to come, which may be any.
    func takes(count: Int, isPart: Bool) -> Bool {
        count == self.items.count || (count < self.items.count ? isPart : self.isOpen)
    }

    /// The identity that the first message has if they are met; `nil` if several may have to be tried.
    var firstIdentity: BodyMatcher.Identity? {
        guard let first = self.items.first, first.count == 1 else { return nil }
        switch first[0] {
        case .body(let identity, _): return identity.kind == .sha256 ? nil : identity
        case .proto(let condition): return condition.ignoredPaths.isEmpty ? .proto(condition.identity) : nil
        default: return nil
        }
    }

    /// The number of messages in words.
    var countText: String { self.isOpen ? "\(self.items.count) or more" : "\(self.items.count)" }

    /// Returns true if it plainly cannot hold together with `other`.
    func excludes(_ other: MessagesCondition, scratch: PatternScratch) -> Bool {
        !self.takes(count: other.items.count, isPart: other.isOpen)
            || zip(self.items, other.items).contains { left, right in
                left.contains { condition in right.contains { condition.excludes($0, scratch: scratch) } }
            }
    }
}
