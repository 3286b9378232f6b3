import TapedeckCore

/// Finds the places, in the bytes of a JSON text, of the values that paths select.
struct JSONPlaces {
    /// A string without its quotation marks, or a number.
    struct Scalar {
        var range: Range<Int>
        var isString: Bool
    }

    private final class Node {
        var isSelected = false
        var children: [Int: Node] = [:]
    }

    private let text: UnsafeRawBufferPointer
    private var index = 0
    private(set) var scalars: [Scalar] = []

    /// - Parameter text: valid JSON, of the value.
    init(_ path: JSONPath, in value: JSONValue, _ text: UnsafeRawBufferPointer) {
        self.text = text
        let root = Node()
        let places = path.places(in: value)
        guard !places.isEmpty else { return }
        for place in places {
            var node = root
            for step in place {
                let child = node.children[step] ?? Node()
                node.children[step] = child
                node = child
            }
            node.isSelected = true
        }
        self.value(root, isSelected: false)
    }

    /// Moves past a value and notes its selected parts.
    private mutating func value(_ node: Node?, isSelected: Bool) {
        let isSelected = isSelected || node?.isSelected ?? false
        self.skipSpace()
        guard self.index < self.text.count else { return }
        switch self.text[self.index] {
        case ASCII.quote:
            let range = self.string()
            if isSelected { self.scalars.append(Scalar(range: range, isString: true)) }
        case ASCII.openBrace: self.list(ASCII.closeBrace, hasNames: true, node, isSelected)
        case ASCII.openBracket: self.list(ASCII.closeBracket, hasNames: false, node, isSelected)
        default:
            let start = self.index
            while self.index < self.text.count, !Self.endsWord(self.text[self.index]) { self.index += 1 }
            let isNumber =
                start < self.text.count && (self.text[start] == 0x2D || (0x30...0x39).contains(self.text[start]))
            if isSelected, isNumber { self.scalars.append(Scalar(range: start..<self.index, isString: false)) }
            // Never visit the same place twice, whatever the text.
            if self.index == start { self.index += 1 }
        }
    }

    private mutating func list(_ close: UInt8, hasNames: Bool, _ node: Node?, _ isSelected: Bool) {
        self.index += 1
        var number = 0
        while self.index < self.text.count {
            self.skipSpace()
            guard self.index < self.text.count, self.text[self.index] != close else { break }
            if hasNames, self.text[self.index] == ASCII.quote {
                _ = self.string()
                self.skipSpace()
                self.index += 1
            }
            self.value(node?.children[number], isSelected: isSelected)
            self.skipSpace()
            if self.index < self.text.count, self.text[self.index] == ASCII.comma { self.index += 1 }
            number += 1
        }
        self.index += 1
    }

    private mutating func string() -> Range<Int> {
        let start = self.index + 1
        self.index = start
        while self.index < self.text.count, self.text[self.index] != ASCII.quote {
            self.index += self.text[self.index] == ASCII.backslash ? 2 : 1
        }
        self.index = min(self.index, self.text.count)
        let range = start..<max(start, self.index)
        self.index += 1
        return range
    }

    private mutating func skipSpace() {
        while self.index < self.text.count, self.text[self.index] <= ASCII.space { self.index += 1 }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= ASCII.space || byte == ASCII.comma || byte == ASCII.closeBrace || byte == ASCII.closeBracket
    }
}
