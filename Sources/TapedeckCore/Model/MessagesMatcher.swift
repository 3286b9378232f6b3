package import TapedeckProtobuf

/// A condition on the messages of a call: their number, and the content of each.
package struct MessagesMatcher: Sendable, Equatable {
    /// The conditions on each message, in their order. A message without conditions may be any.
    package var items: [[BodyMatcher]]
    /// The type of the messages, where a descriptor says it.
    package var type: MessageType?
    /// True if more messages may follow: the call was over before its request was.
    package var isOpen: Bool

    package init(_ items: [[BodyMatcher]], type: MessageType? = nil, isOpen: Bool = false) {
        self.items = items
        self.type = type
        self.isOpen = isOpen
    }

    /// Matchers are equal if they are written alike.
    package static func == (left: MessagesMatcher, right: MessagesMatcher) -> Bool {
        left.items == right.items && left.isOpen == right.isOpen
    }

    /// Equal for matchers that the same messages meet; `nil` if a message may be one of several.
    var identity: BodyMatcher.Identity? {
        var identities: [[BodyMatcher.Identity]] = []
        for item in self.items {
            let known = item.map { self.typed($0).identity }
            guard !known.isEmpty, !known.contains(nil) else { return nil }
            identities.append(known.compactMap { $0 })
        }
        return .messages(identities, isOpen: self.isOpen)
    }

    /// The matcher with the rules of a cassette for JSON, for comparison with others.
    package func counting(_ rules: MatchingRules) -> MessagesMatcher {
        guard !rules.ignoredJSON.isEmpty else { return self }
        var matcher = self
        matcher.items = self.items.map { item in
            item.map { condition in
                guard case .json(let body, var comparison) = condition else { return condition }
                comparison.ignoredPaths += rules.ignoredJSON
                return .json(body, comparison)
            }
        }
        return matcher
    }

    /// The condition with JSON as the message has it: fields in the order of their descriptor, and none that has its default.
    func typed(_ condition: BodyMatcher) -> BodyMatcher {
        guard case .json(let body, let comparison) = condition, let type, let value = JSONValue.inBody(body),
            let bytes = try? type.bytes(of: value), let json = type.json(of: bytes)
        else { return condition }
        return .json(InlineBody(form: .json, content: json.compactText), comparison)
    }
}

/// A condition on a message of protobuf without a descriptor: its fields in the order of the wire.
package struct ProtobufCondition: Sendable, Equatable {
    /// As it is written, see `ProtobufText`.
    package var text: [UInt8]
    /// The message that the text means.
    package var message: ProtobufMessage
    /// Fields that are left out on both sides.
    package var ignoredPaths: [ProtobufPath]

    package init(text: [UInt8], message: ProtobufMessage, ignoring ignoredPaths: [ProtobufPath] = []) {
        self.text = text
        self.message = message
        self.ignoredPaths = ignoredPaths
    }

    /// Returns true if a message has these fields.
    func matches(_ message: [UInt8]) -> Bool {
        ProtobufMessage(parsing: message).map { self.counting($0) == self.counting(self.message) } ?? false
    }

    func counting(_ message: ProtobufMessage) -> ProtobufMessage {
        self.ignoredPaths.reduce(into: message) { $0.remove(at: $1) }.inOneOrder
    }

    var identity: [UInt8] {
        self.counting(self.message).bytes + Array(self.ignoredPaths.map(\.description).joined(separator: " ").utf8)
    }

    /// The paths of the fields in which a message differs, the ignored ones left out.
    func differences(_ message: ProtobufMessage) -> [String] {
        Self.differences(self.counting(self.message), self.counting(message), at: "")
    }

    /// Messages within so many others are compared as a whole.
    private static let shownDepth = 20

    private static func differences(
        _ wanted: ProtobufMessage,
        _ came: ProtobufMessage,
        at path: String,
        depth: Int = 0
    ) -> [String] {
        var places: [String] = []
        let numbers = Set(wanted.fields.map(\.number) + came.fields.map(\.number)).sorted()
        for number in numbers {
            let (left, right) = (wanted.values(of: number), came.values(of: number))
            guard left != right else { continue }
            let place = path.isEmpty ? "\(number)" : "\(path).\(number)"
            if left.count == 1, right.count == 1, depth < Self.shownDepth, case .message(let one) = left[0].content,
                case .message(let other) = right[0].content
            {
                places += self.differences(one, other, at: place, depth: depth + 1)
            } else {
                places.append(place)
            }
        }
        // Equal fields in another order.
        return places.isEmpty ? [path] : places
    }
}

extension ProtobufMessage {
    fileprivate func values(of number: Int) -> [Value] {
        self.fields.filter { $0.number == number }.map(\.value)
    }
}
