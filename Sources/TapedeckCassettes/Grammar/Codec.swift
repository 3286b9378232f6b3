import TapedeckCore
import TapedeckYAML

/// How one kind of value is written in a cassette: its shape, and how it is read and written.
struct Codec<Value>: Sendable {
    /// Returns `nil` for anything else, and reports it.
    typealias Read = @Sendable (inout CassetteReader, _ node: YAMLNode, _ name: String) -> Value?
    /// Writes a value behind its key, up to the end of its lines.
    typealias Write = @Sendable (inout CassetteWriter, Value) -> Void

    let shape: Shape
    let read: Read
    let write: Write

    init(_ shape: Shape, read: @escaping Read, write: @escaping Write) {
        (self.shape, self.read, self.write) = (shape, read, write)
    }

    /// - Parameter inline: writes the value on the line of its key.
    init(_ shape: Shape, read: @escaping Read, inline: @escaping Write) {
        self.init(shape, read: read, write: { writer, value in writer.inline { inline(&$0, value) } })
    }

    /// A value that is made of a text.
    ///
    /// - Parameter text: the text of a value.
    init(_ shape: Shape = .text, read: @escaping Read, text: @escaping @Sendable (Value) -> String) {
        self.init(shape, read: read, inline: { $0.yaml.scalar(text($1)) })
    }
}

// MARK: Scalars

extension Codec where Value == String {
    /// A text, which is not empty.
    static var text: Self { Codec(read: { $0.text($1, $2) }, text: { $0 }) }
    static var textOrEmpty: Self { Codec(read: { $0.text($1, $2, allowsEmpty: true) }, text: { $0 }) }
}

extension Codec where Value == Bool {
    static var bool: Self { Codec(.bool, read: { $0.bool($1, $2) }, inline: { $0.yaml.raw($1 ? "true" : "false") }) }
}

extension Codec where Value == Int {
    /// - Parameter message: the whole message for anything else; `nil` for the usual one.
    static func integer(_ range: ClosedRange<Int>, or message: String? = nil) -> Self {
        Codec(
            .integer(range),
            read: { reader, node, name in
                guard let message else { return reader.count(node, name, range) }
                if let value = node.int, range.contains(value) { return value }
                reader.error(node, message)
                return nil
            },
            inline: { $0.yaml.int($1) }
        )
    }
}

extension Codec where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// One of the words of an enumeration.
    static var word: Self {
        let all = Array(Value.allCases)
        return Codec(.words(all.map(\.rawValue)), read: { $0.choice($1, $2, all) }, text: { $0.rawValue })
    }
}

extension Shape {
    static let time = Shape.either([.integer(0...0), .matching(#"^[0-9]+(\.[0-9]+)? ?(ms|s|m|h|d|w)$"#)])
}

extension Codec where Value == JSONPath {
    static var jsonPath: Self { Codec(read: { $0.path($1, $2) }, text: \.description) }
}

extension Codec where Value == [JSONPath] {
    static var jsonPaths: Self { .texts(read: { $0.path($1, $2) }, text: \.description) }
}

extension Codec where Value == [XMLPath] {
    static var xmlPaths: Self { .texts(read: { $0.xmlPath($1, $2) }, text: \.description) }
}

// MARK: Collections

extension Codec {
    /// A list with an item on each line. A wrong item is reported, and left out.
    static func list<Item>(of item: Codec<Item>) -> Codec where Value == [Item] {
        Codec(
            .list(item.shape),
            read: { reader, node, name in
                guard reader.expectSequence(node, name) else { return nil }
                return node.items.compactMap { item.read(&reader, $0, name) }
            },
            write: { writer, items in writer.items(items) { item.write(&$0, $1) } }
        )
    }

    /// A list, or in its place one text; written on one line.
    ///
    /// - Parameter text: the text of an item.
    static func texts<Item>(
        _ shape: Shape = .text,
        read: @escaping @Sendable (inout CassetteReader, YAMLNode, String) -> Item?,
        text: @escaping @Sendable (Item) -> String
    ) -> Codec where Value == [Item] {
        Codec(
            .oneOrList(shape),
            read: { reader, node, name in
                guard let items = reader.listItems(node, name) else { return nil }
                if items.isEmpty { reader.error(node, "`\(name)` is an empty list") }
                return items.compactMap { read(&reader, $0, name) }
            },
            inline: { $0.flowList($1.map(text)) }
        )
    }

    static func texts(allowsEmpty: Bool = false) -> Codec where Value == [String] {
        .texts(read: { $0.text($1, $2, allowsEmpty: allowsEmpty) }, text: { $0 })
    }
}
