import TapedeckCore
import TapedeckYAML

/// Makes the nodes of JSON that the reader of cassettes reads, so that both notations are read by the same rules. Each
/// node knows its JSON pointer (RFC 6901).
struct JSONNodes {
    /// The maximum depth of lists and objects, since recursive code reads them.
    static let depthLimit = 60

    private var builder = YAMLDocumentBuilder()
    /// The JSON pointer of each node.
    private var pointers: [String] = []
    private(set) var problems: [CassetteJSON.Problem] = []

    /// - Parameters:
    ///   - pointer: the pointer of the value in the JSON that a client sent.
    ///   - depth: the depth of the value.
    init(_ value: JSONValue, at pointer: String, depth: Int = 0) {
        self.write(value, at: pointer, depth: depth)
    }

    var document: YAMLDocument { self.builder.document }

    /// Returns the pointer of a node by its line: see ``YAMLDocumentBuilder``.
    func pointer(ofLine line: Int) -> String {
        self.pointers[max(0, min(line, self.pointers.count) - 1)]
    }

    // MARK: Nodes

    private mutating func write(_ value: JSONValue, at pointer: String, depth: Int) {
        switch value {
        case .null, .bool, .number, .string: self.scalar(value, at: pointer)
        case .array(let items):
            guard self.canDescend(depth, pointer) else { return }
            self.collection(.sequence, at: pointer, items.enumerated()) { nodes, item in
                nodes.write(item.element, at: "\(pointer)/\(item.offset)", depth: depth + 1)
            }
        case .object(let members):
            guard self.canDescend(depth, pointer) else { return }
            var names: Set<[UInt8]> = []
            self.collection(.mapping, at: pointer, members) { nodes, member in
                if !names.insert(Array(member.name.utf8)).inserted {
                    nodes.refuse(pointer, "the member \"\(member.name)\" comes twice")
                }
                let pointer = "\(pointer)/\(Self.escaped(member.name))"
                nodes.scalar(.string(member.name), at: pointer)
                nodes.builder.separator(ASCII.colon)
                nodes.write(member.value, at: pointer, depth: depth + 1)
            }
        }
    }

    private mutating func scalar(_ value: JSONValue, at pointer: String) {
        self.pointers.append(pointer)
        self.builder.scalar(value.compactText)
    }

    private mutating func collection<Items: Sequence>(
        _ kind: YAMLNode.Kind,
        at pointer: String,
        _ items: Items,
        _ write: (inout Self, Items.Element) -> Void
    ) {
        self.pointers.append(pointer)
        let index = self.builder.begin(kind)
        var count = 0
        for item in items {
            if count > 0 { self.builder.separator(ASCII.comma) }
            write(&self, item)
            count += 1
        }
        self.builder.end(index, count: count)
    }

    // MARK: Limits

    private mutating func canDescend(_ depth: Int, _ pointer: String) -> Bool {
        if depth < Self.depthLimit { return true }
        self.refuse(
            pointer,
            "nested deeper than \(Self.depthLimit) levels; JSON of a body that is so deep can be a string"
        )
        self.scalar(.null, at: pointer)
        return false
    }

    /// Reports unreadable JSON, whatever the reader reports.
    private mutating func refuse(_ pointer: String, _ message: String) {
        self.problems.append(CassetteJSON.Problem(pointer: pointer, message: message))
    }

    /// A name as a part of a pointer.
    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
