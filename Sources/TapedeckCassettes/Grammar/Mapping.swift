import TapedeckYAML

/// A key in a file, with its value.
struct Entry: Sendable {
    let key: YAMLNode
    let value: YAMLNode
}

/// A key of a mapping: its name, what it means, and how it is read and written.
struct Key<Owner>: Sendable {
    typealias Read = @Sendable (inout CassetteReader, Entry, inout Owner) -> Void
    /// Writes key and value, or nothing where the owner has no such value. The owner is not changed; as `inout` it is not
    /// copied either.
    typealias Write = @Sendable (inout CassetteWriter, inout Owner) -> Void

    let spelling: StaticString
    let name: String
    let shape: Shape
    /// Its line of the reference, in Markdown. Keys with the same line share it.
    private(set) var meaning = ""
    /// True if it is read after all others, those in the order of their declaration, since it depends on them.
    let isLate: Bool
    /// False for a key that only the notation of the control API has.
    let isOfFiles: Bool
    let read: Read
    let write: Write

    /// A key that another one, or the mapping as a whole, reads or writes unless it is said how.
    init(
        _ name: StaticString,
        _ shape: Shape,
        late: Bool = false,
        isOfFiles: Bool = true,
        read: @escaping Read = { _, _, _ in },
        write: @escaping Write = { _, _ in }
    ) {
        (self.spelling, self.name, self.shape) = (name, name.description, shape)
        (self.isLate, self.isOfFiles) = (late, isOfFiles)
        (self.read, self.write) = (read, write)
    }

    /// A key with a value that an owner has or has not.
    init<Value>(
        _ name: StaticString,
        _ codec: Codec<Value>,
        late: Bool = false,
        get: @escaping @Sendable (inout Owner) -> Value?,
        set: @escaping @Sendable (Value, inout Owner) -> Void
    ) {
        let text = name.description
        self.init(name, codec.shape, late: late) { reader, entry, owner in
            if let value = codec.read(&reader, entry.value, text) { set(value, &owner) }
        } write: { writer, owner in
            guard let value = get(&owner) else { return }
            writer.key(name)
            codec.write(&writer, value)
        }
    }

    /// A key that may be missing.
    init<Value>(
        _ name: StaticString,
        _ path: any (WritableKeyPath<Owner, Value?> & Sendable),
        _ codec: Codec<Value>,
        late: Bool = false
    ) {
        let place = Place(path)
        self.init(name, codec, late: late, get: { place.value(in: &$0) }, set: { place.set($0, in: &$1) })
    }

    /// A key that is left out where its value is the usual one.
    init<Value: Equatable & Sendable>(
        _ name: StaticString,
        _ path: any (WritableKeyPath<Owner, Value> & Sendable),
        _ codec: Codec<Value>,
        usually usual: Value,
        late: Bool = false
    ) {
        let place = Place(path)
        self.init(
            name,
            codec,
            late: late,
            get: { owner in
                let value = place.value(in: &owner)
                return value == usual ? nil : value
            },
            set: { place.set($0, in: &$1) }
        )
    }

    /// Says what the key means.
    func means(_ text: String) -> Self {
        var key = self
        key.meaning = text
        return key
    }
}

/// A property of a struct. A stored one is reached by its offset, as `MemoryLayout.offset(of:)` allows: every key of every
/// take is asked for, and key paths made writing a cassette half as slow again.
struct Place<Owner, Value>: Sendable {
    private let path: any (WritableKeyPath<Owner, Value> & Sendable)
    /// `nil` for a property that is not stored in place.
    private let offset: Int?

    init(_ path: any (WritableKeyPath<Owner, Value> & Sendable)) {
        self.path = path
        self.offset = MemoryLayout<Owner>.offset(of: path)
    }

    func value(in owner: inout Owner) -> Value {
        guard let offset = self.offset else { return owner[keyPath: self.path] }
        return withUnsafeMutablePointer(to: &owner) { pointer in
            UnsafeMutableRawPointer(pointer).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
        }
    }

    func set(_ value: Value, in owner: inout Owner) {
        guard let offset = self.offset else {
            owner[keyPath: self.path] = value
            return
        }
        withUnsafeMutablePointer(to: &owner) { pointer in
            UnsafeMutableRawPointer(pointer).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = value
        }
    }
}

/// A mapping of the format: its keys, in the order in which they are written.
struct Mapping<Owner>: Sendable {
    /// The name in the schema.
    let name: String
    /// The mapping in messages.
    let what: String
    let keys: [Key<Owner>]
    /// The parts that each mapping of a cassette needs, apart from the rest of the keys, which is not copied then.
    fileprivate let spellings: [StaticString]
    fileprivate let lateness: [Bool]
    fileprivate let readings: [Key<Owner>.Read]
    fileprivate let writings: [Key<Owner>.Write]
    /// The names of those that files have.
    let names: [String]
    /// Names that are keys in the notation of the control API, too; asked for late, as they are those of other mappings.
    private let namesInJSON: @Sendable () -> [String]
    /// Which keys go together.
    let rules: [KeyRule]

    init(
        _ name: String,
        _ what: String,
        rules: [KeyRule] = [],
        alsoInJSON: @escaping @autoclosure @Sendable () -> [String] = [],
        @KeyList<Owner> keys: () -> [Key<Owner>]
    ) {
        self.name = name
        self.what = what
        self.rules = rules
        self.keys = keys()
        self.names = self.keys.filter(\.isOfFiles).map(\.name)
        self.namesInJSON = alsoInJSON
        self.spellings = self.keys.map(\.spelling)
        self.lateness = self.keys.map(\.isLate)
        self.readings = self.keys.map(\.read)
        self.writings = self.keys.map(\.write)
    }

    fileprivate func names(in notation: CassetteReader.Notation) -> [String] {
        notation == .json ? self.names + self.namesInJSON() : self.names
    }

    /// Returns the place of a key. Most files have the keys in the order in which they are written, so that the one behind
    /// the last comes first.
    fileprivate func place(of key: YAMLNode, from start: Int) -> Int? {
        for place in start..<self.spellings.count where key.scalarEquals(self.spellings[place]) { return place }
        for place in 0..<min(start, self.spellings.count) where key.scalarEquals(self.spellings[place]) { return place }
        return nil
    }
}

/// Which keys of a mapping go together; the reader of each mapping says it in words of its own.
enum KeyRule: Sendable {
    /// Each of these is there.
    case all([String])
    /// Exactly one of these is there.
    case one([String])
    /// At least one of these is there.
    case some([String])
    /// At most one of these is there.
    case atMostOne([String])
    /// The first one needs one of the others.
    case with(String, [String])
}

@resultBuilder
enum KeyList<Owner> {
    static func buildExpression(_ key: Key<Owner>) -> [Key<Owner>] { [key] }
    static func buildExpression(_ keys: [Key<Owner>]) -> [Key<Owner>] { keys }
    static func buildBlock(_ parts: [Key<Owner>]...) -> [Key<Owner>] { parts.flatMap { $0 } }
}

extension CassetteGrammar {
    static func keys<Owner>(@KeyList<Owner> _ keys: () -> [Key<Owner>]) -> [Key<Owner>] { keys() }
}

extension CassetteReader {
    /// Reads the keys of a mapping, and reports those that it does not have.
    ///
    /// - Parameter what: the mapping in messages, if not as always.
    /// - Returns: false for what is no mapping, which is reported.
    mutating func read<Owner>(
        _ node: YAMLNode,
        by mapping: Mapping<Owner>,
        into owner: inout Owner,
        what: String? = nil
    ) -> Bool {
        guard self.expectMapping(node, what ?? mapping.what) else { return false }
        var late: [(place: Int, entry: Entry)] = []
        var next = 0
        for (key, value) in node.pairs {
            guard let place = mapping.place(of: key, from: next) else {
                self.unknown(key, mapping.names(in: self.notation), of: what ?? mapping.what)
                continue
            }
            next = place + 1
            if mapping.lateness[place] {
                late.append((place, Entry(key: key, value: value)))
            } else {
                mapping.readings[place](&self, Entry(key: key, value: value), &owner)
            }
        }
        if late.count > 1 { late.sort { $0.place < $1.place } }
        for (place, entry) in late { mapping.readings[place](&self, entry, &owner) }
        return true
    }
}

extension CassetteWriter {
    /// Writes the keys of a mapping that its owner has.
    mutating func write<Owner>(_ owner: consuming Owner, by mapping: Mapping<Owner>) {
        for write in mapping.writings { write(&self, &owner) }
    }
}
