import TapedeckCore
import TapedeckYAML

/// Writes JSON as YAML for the reader of cassettes, so that both are read by the same rules.
///
/// JSON nearly is YAML: only some characters must be written as escapes. Every member and item has a line of its own,
/// so that the line of a mistake tells its place in the JSON.
struct JSONFlow {
    /// How deep lists and objects may stand in each other: what is read goes through recursive code.
    static let depthLimit = 60

    private(set) var bytes: [UInt8] = []
    /// The JSON pointer (RFC 6901) of each line.
    private(set) var pointers: [String]
    private(set) var problems: [CassetteJSON.Problem] = []

    /// - Parameter pointer: where in the JSON that somebody sent this begins.
    init(at pointer: String) {
        self.pointers = [pointer]
    }

    /// The pointer of a line, counted from 1.
    func pointer(ofLine line: Int) -> String {
        self.pointers[max(0, min(line, self.pointers.count) - 1)]
    }

    // MARK: Writing

    mutating func write(_ value: JSONValue, at pointer: String, depth: Int = 0) {
        switch value {
        case .null: self.raw("null")
        case .bool(let value): self.raw(value ? "true" : "false")
        case .number(let number): self.raw(number.spelling)
        case .string(let text): self.text(text)
        case .array(let items):
            guard self.canDescend(depth, pointer) else { return }
            self.list(items.enumerated(), "[", "]") { flow, item in
                let pointer = "\(pointer)/\(item.offset)"
                flow.line(pointer)
                flow.write(item.element, at: pointer, depth: depth + 1)
            }
        case .object(let members):
            guard self.canDescend(depth, pointer) else { return }
            var names: Set<[UInt8]> = []
            self.list(members, "{", "}") { flow, member in
                if !names.insert(Array(member.name.utf8)).inserted {
                    flow.refuse(pointer, "the member \"\(member.name)\" comes twice")
                }
                flow.member(member, of: pointer, depth: depth)
            }
        }
    }

    /// A member of an object, on a line of its own.
    mutating func member(_ member: JSONMember, of pointer: String, depth: Int) {
        let pointer = "\(pointer)/\(Self.escaped(member.name))"
        self.line(pointer)
        self.text(member.name)
        self.raw(": ")
        self.write(member.value, at: pointer, depth: depth + 1)
    }

    /// Begins a line.
    mutating func line(_ pointer: String) {
        self.bytes.append(ASCII.lineFeed)
        self.pointers.append(pointer)
    }

    mutating func list<Items: Sequence>(
        _ items: Items,
        _ open: StaticString,
        _ close: StaticString,
        _ write: (inout Self, Items.Element) -> Void
    ) {
        self.raw(open)
        var isFirst = true
        for item in items {
            if !isFirst { self.raw(",") }
            isFirst = false
            write(&self, item)
        }
        self.raw(close)
    }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { self.bytes.append(contentsOf: $0) }
    }

    private mutating func raw(_ text: String) {
        self.bytes.append(contentsOf: text.utf8)
    }

    mutating func text(_ text: String) {
        self.bytes.append(ASCII.quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                self.bytes.append(ASCII.backslash)
                self.bytes.append(UInt8(ascii: scalar))
            default:
                // What lies above is printable in YAML, and JSON has no short escape for it.
                guard scalar.value > 0xFFFF || (scalar.value >= 0x20 && YAMLWriter.isSafe(scalar)) else {
                    let digits = String(scalar.value, radix: 16)
                    self.raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
                    continue
                }
                self.bytes.append(contentsOf: scalar.utf8)
            }
        }
        self.bytes.append(ASCII.quote)
    }

    // MARK: Limits

    private mutating func canDescend(_ depth: Int, _ pointer: String) -> Bool {
        if depth < Self.depthLimit { return true }
        self.refuse(
            pointer,
            "nested deeper than \(Self.depthLimit) levels; JSON of a body that is so deep can be a string"
        )
        self.raw("null")
        return false
    }

    /// Says that something cannot be read, whatever the reader may say.
    mutating func refuse(_ pointer: String, _ message: String) {
        self.problems.append(CassetteJSON.Problem(pointer: pointer, message: message))
    }

    /// A name as a part of a pointer.
    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
