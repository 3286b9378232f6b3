/// The path of a field by field numbers, from the outermost message inwards: `1.3` is field 3 of the message in
/// field 1.
///
/// A path matches every occurrence of the field.
package struct ProtobufPath: Sendable, Hashable, CustomStringConvertible {
    /// One or more field numbers, each 1 to 536,870,911.
    package let numbers: [Int]

    /// Parses a path such as `1.3`. Returns `nil` for any other text.
    package init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let number = Int(part),
                1...WireReader.maximumNumber ~= number
            else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }

    private init(numbers: [Int]) {
        self.numbers = numbers
    }

    /// The path of a field of the message at this path.
    func appending(_ number: Int) -> ProtobufPath {
        ProtobufPath(numbers: self.numbers + [number])
    }

    /// The path of a field of the outermost message.
    static func outermost(_ number: Int) -> ProtobufPath {
        ProtobufPath(numbers: [number])
    }

    package var description: String {
        self.numbers.map(String.init).joined(separator: ".")
    }
}

extension ProtobufMessage {
    /// Returns all values at a path, in wire order.
    ///
    /// Every step but the last parses bytes as a message, and skips bytes that do not parse.
    package func values(at path: ProtobufPath) -> [Value] {
        self.values(at: path.numbers[...])
    }

    private func values(at path: ArraySlice<Int>) -> [Value] {
        guard let number = path.first else { return [] }
        let inner = path.dropFirst()
        let values = self.fields.lazy.filter { $0.number == number }.map { $0.value }
        return inner.isEmpty ? Array(values) : values.flatMap { $0.message?.values(at: inner) ?? [] }
    }

    /// Removes all fields at a path. Enclosing messages stay, even if they become empty.
    package mutating func remove(at path: ProtobufPath) {
        self.remove(at: path.numbers[...])
    }

    private mutating func remove(at path: ArraySlice<Int>) {
        guard let number = path.first else { return }
        let inner = path.dropFirst()
        if inner.isEmpty { return self.fields.removeAll { $0.number == number } }
        for index in self.fields.indices where self.fields[index].number == number {
            guard var message = self.fields[index].value.message else { continue }
            let count = message.fields.count
            let before = message
            message.remove(at: inner)
            if message.fields.count != count || message != before { self.fields[index].value.replace(by: message) }
        }
    }

    /// Replaces text in the message and in all messages nested in it, and adjusts their lengths.
    ///
    /// - Parameter replacement: called in wire order with the path and text of each value whose ``Value/content`` is
    ///   text. Returns the new text, or `nil` to keep the old one.
    /// - Returns: true if any text was replaced. If false, the message is unchanged, byte for byte.
    @discardableResult
    package mutating func replaceTexts(_ replacement: (ProtobufPath, String) -> String?) -> Bool {
        self.replaceTexts(inside: nil, replacement)
    }

    private mutating func replaceTexts(
        inside path: ProtobufPath?,
        _ replacement: (ProtobufPath, String) -> String?
    ) -> Bool {
        guard (path?.numbers.count ?? 0) < WireReader.depthLimit else { return false }
        var hasChanged = false
        for index in self.fields.indices {
            let field = self.fields[index]
            let place = path?.appending(field.number) ?? .outermost(field.number)
            if case .text(let text) = field.value.content {
                guard let text = replacement(place, text) else { continue }
                self.fields[index].value = .bytes(Array(text.utf8))
                hasChanged = true
            } else if var message = field.value.likelyMessage, message.replaceTexts(inside: place, replacement) {
                self.fields[index].value.replace(by: message)
                hasChanged = true
            }
        }
        return hasChanged
    }
}

extension ProtobufMessage.Value {
    /// The message of a group, or of bytes whose likely meaning is a message.
    fileprivate var likelyMessage: ProtobufMessage? {
        if case .group(let message) = self { return message }
        if case .message(let message) = self.content { return message }
        return nil
    }

    /// Replaces the message, and keeps the wire type.
    fileprivate mutating func replace(by message: ProtobufMessage) {
        if case .group = self {
            self = .group(message)
        } else {
            self = .bytes(message.bytes)
        }
    }
}
