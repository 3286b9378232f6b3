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

    private var cursor: JSONCursor
    private(set) var scalars: [Scalar] = []

    /// - Parameter text: valid JSON, of the value.
    init(_ path: JSONPath, in value: JSONValue, _ text: UnsafeRawBufferPointer) {
        self.cursor = JSONCursor(text)
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
        self.cursor.skipSpace()
        guard self.cursor.index < self.cursor.end else { return }
        switch self.cursor.text[self.cursor.index] {
        case ASCII.quote:
            let range = self.cursor.string()
            if isSelected { self.scalars.append(Scalar(range: range, isString: true)) }
        case ASCII.openBrace: self.list(ASCII.closeBrace, hasNames: true, node, isSelected)
        case ASCII.openBracket: self.list(ASCII.closeBracket, hasNames: false, node, isSelected)
        default:
            let start = self.cursor.index
            while self.cursor.index < self.cursor.end, !Self.endsWord(self.cursor.text[self.cursor.index]) {
                self.cursor.index += 1
            }
            let isNumber =
                start < self.cursor.end
                && (self.cursor.text[start] == 0x2D || (0x30...0x39).contains(self.cursor.text[start]))
            if isSelected, isNumber { self.scalars.append(Scalar(range: start..<self.cursor.index, isString: false)) }
            // Never visit the same place twice, whatever the text.
            if self.cursor.index == start { self.cursor.index += 1 }
        }
    }

    private mutating func list(_ close: UInt8, hasNames: Bool, _ node: Node?, _ isSelected: Bool) {
        self.cursor.index += 1
        var number = 0
        while self.cursor.index < self.cursor.end {
            self.cursor.skipSpace()
            guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] != close else { break }
            if hasNames, self.cursor.text[self.cursor.index] == ASCII.quote {
                _ = self.cursor.string()
                self.cursor.skipSpace()
                self.cursor.index += 1
            }
            self.value(node?.children[number], isSelected: isSelected)
            self.cursor.skipSpace()
            if self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.comma {
                self.cursor.index += 1
            }
            number += 1
        }
        self.cursor.index += 1
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= ASCII.space || byte == ASCII.comma || byte == ASCII.closeBrace || byte == ASCII.closeBracket
    }
}
