/// The resolved messages, enums and services of a set of files.
///
/// Types refer to each other by index, because a message may contain itself. A pool is immutable.
final class DescriptorPool: Sendable {
    let messages: [MessageDescriptor]
    let enums: [EnumDescriptor]
    /// The methods of each service, by the full name of the service.
    let services: [String: [Method]]
    private let symbols: [String: Symbol]

    struct Method: Sendable {
        let name: String
        let input: Int
        let output: Int
        let isClientStreaming: Bool
        let isServerStreaming: Bool
    }

    enum Symbol: Sendable {
        case message(Int)
        case `enum`(Int)
    }

    /// Resolves all names. If a name is defined twice, the first definition counts.
    ///
    /// - Throws: if no file defines the type of a field or method, or if a field is invalid.
    init(_ files: [FileDefinition]) throws(DescriptorError) {
        var builder = DescriptorPoolBuilder()
        for file in files { builder.declare(file) }
        try builder.resolve()
        self.messages = builder.messages
        self.enums = builder.enums
        self.services = builder.services
        self.symbols = builder.symbols
    }

    /// Returns the index of the message with a full name.
    func message(named name: String) -> Int? {
        if case .message(let index) = self.symbols[name] { index } else { nil }
    }
}

/// A descriptor set is malformed or incomplete.
package struct DescriptorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy.
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Builds a ``DescriptorPool`` in two steps: first all names, then the fields and methods, which refer to them.
private struct DescriptorPoolBuilder {
    var messages: [MessageDescriptor] = []
    var enums: [EnumDescriptor] = []
    var services: [String: [DescriptorPool.Method]] = [:]
    var symbols: [String: DescriptorPool.Symbol] = [:]

    /// The definition of each message, by the index of the message.
    private var pending: [(definition: MessageDefinition, features: Features, file: String)] = []
    private var extensions: [(definition: FieldDefinition, scope: String, features: Features, file: String)] = []
    private var pendingServices: [(definition: ServiceDefinition, scope: String, file: String)] = []

    // MARK: Names

    mutating func declare(_ file: FileDefinition) {
        self.declare(file.enums, scope: file.package, features: file.features)
        for message in file.messages {
            self.declare(message, scope: file.package, features: file.features, file: file.name)
        }
        self.extensions += file.extensions.map { ($0, file.package, file.features, file.name) }
        self.pendingServices += file.services.map { ($0, file.package, file.name) }
    }

    private mutating func declare(_ enums: [EnumDefinition], scope: String, features: Features) {
        for definition in enums {
            let name = Self.join(scope, definition.name)
            guard self.symbols[name] == nil else { continue }
            self.symbols[name] = .enum(self.enums.count)
            let isOpen = features.changed(by: definition.changes).isEnumOpen
            self.enums.append(EnumDescriptor(name: name, isOpen: isOpen, values: definition.values))
        }
    }

    private mutating func declare(_ message: MessageDefinition, scope: String, features: Features, file: String) {
        let name = Self.join(scope, message.name)
        let features = features.changed(by: message.changes)
        guard self.symbols[name] == nil else { return }
        self.symbols[name] = .message(self.messages.count)
        self.messages.append(
            MessageDescriptor(name: name, isMapEntry: message.isMapEntry, oneofs: message.oneofs.map(\.name))
        )
        self.pending.append((message, features, file))
        self.declare(message.enums, scope: name, features: features)
        for inner in message.messages { self.declare(inner, scope: name, features: features, file: file) }
        self.extensions += message.extensions.map { ($0, name, features, file) }
    }

    private static func join(_ scope: String, _ name: String) -> String {
        scope.isEmpty ? name : "\(scope).\(name)"
    }

    // MARK: Fields

    mutating func resolve() throws(DescriptorError) {
        for (index, message) in self.pending.enumerated() {
            let scope = self.messages[index].name
            for definition in message.definition.fields {
                if let oneof = definition.oneof, !message.definition.oneofs.indices.contains(oneof) {
                    throw DescriptorError(
                        "\(message.file): field \(Self.join(scope, definition.name)) refers to a missing oneof"
                    )
                }
                let oneof = definition.oneof.map { message.definition.oneofs[$0] }
                let features = oneof.map { message.features.changed(by: $0.changes) } ?? message.features
                let place = Place(message: index, scope: scope, file: message.file)
                self.messages[index].add(try self.field(definition, features, place))
            }
        }
        for (definition, scope, features, file) in self.extensions {
            // Many files extend options, which no call sends. The extended message may be missing.
            guard case .message(let index)? = self.symbol(definition.extendee, scope: scope) else { continue }
            let place = Place(message: index, scope: scope, file: file, isExtension: true)
            self.messages[index].add(try self.field(definition, features, place))
        }
        for message in self.messages where message.isMapEntry {
            guard let key = message.field(1), key.kind.isMapKey, message.field(2) != nil else {
                throw DescriptorError("\(message.name) is marked as a map entry but has no key or value")
            }
        }
        for (definition, scope, file) in self.pendingServices {
            let name = Self.join(scope, definition.name)
            guard self.services[name] == nil else { continue }
            var methods: [DescriptorPool.Method] = []
            for method in definition.methods {
                let place = "\(name)/\(method.name)"
                methods.append(
                    DescriptorPool.Method(
                        name: method.name,
                        input: try self.message(method.input, "of requests of \(place)", scope: scope, file: file),
                        output: try self.message(method.output, "of responses of \(place)", scope: scope, file: file),
                        isClientStreaming: method.isClientStreaming,
                        isServerStreaming: method.isServerStreaming
                    )
                )
            }
            self.services[name] = methods
        }
    }

    /// The context in which a field is defined.
    private struct Place {
        /// The index of the message that has the field.
        var message: Int
        /// The full name of the enclosing message or package.
        var scope: String
        var file: String
        var isExtension = false
    }

    private func field(
        _ definition: FieldDefinition,
        _ parent: Features,
        _ place: Place
    ) throws(DescriptorError) -> FieldDescriptor {
        let fullName = Self.join(place.scope, definition.name)
        guard 1...WireReader.maximumNumber ~= definition.number else {
            throw DescriptorError("\(place.file): field \(fullName) has the invalid number \(definition.number)")
        }
        let features = parent.changed(by: definition.changes)
        let kind = try self.kind(definition, features, fullName, place)
        let isRepeated = definition.label == .repeated
        let isMap = isRepeated && kind.message.map { self.messages[$0].isMapEntry } ?? false
        let isRequired = definition.label == .required || features.presence == .required && !isRepeated
        let hasPresence =
            kind.message != nil || definition.oneof != nil || definition.isOptional || isRequired || place.isExtension
            || features.presence == .explicit
        return FieldDescriptor(
            name: place.isExtension ? fullName : definition.name,
            jsonName: place.isExtension ? "[\(fullName)]" : definition.jsonName ?? Self.jsonName(definition.name),
            number: definition.number,
            kind: kind,
            isRepeated: isRepeated,
            isRequired: isRequired,
            hasPresence: !isRepeated && hasPresence,
            isPacked: isRepeated && kind.isPackable && (definition.isPacked ?? features.isPacked),
            validatesUTF8: features.validatesUTF8,
            oneof: place.isExtension ? nil : definition.oneof,
            isMap: isMap
        )
    }

    private func kind(
        _ definition: FieldDefinition,
        _ features: Features,
        _ fullName: String,
        _ place: Place
    ) throws(DescriptorError) -> FieldDescriptor.Kind {
        switch definition.kind {
        case .double: return .double
        case .float: return .float
        case .int64: return .int64
        case .uint64: return .uint64
        case .int32: return .int32
        case .fixed64: return .fixed64
        case .fixed32: return .fixed32
        case .bool: return .bool
        case .string: return .string
        case .bytes: return .bytes
        case .uint32: return .uint32
        case .sfixed32: return .sfixed32
        case .sfixed64: return .sfixed64
        case .sint32: return .sint32
        case .sint64: return .sint64
        // The type is missing if the set comes from a parser that does not resolve names.
        case .group, .message, .enum, nil:
            switch self.symbol(definition.typeName, scope: place.scope) {
            case .enum(let index): return .enum(index)
            case .message(let index):
                // Maps and their values are never groups.
                let isDelimited =
                    features.isDelimited && !self.messages[index].isMapEntry
                    && !self.messages[place.message].isMapEntry
                return definition.kind == .group || isDelimited ? .group(index) : .message(index)
            case nil: throw Self.missing(definition.typeName, "of field \(fullName)", file: place.file)
            }
        }
    }

    // MARK: References

    private func message(
        _ name: String,
        _ use: String,
        scope: String,
        file: String
    ) throws(DescriptorError) -> Int {
        guard case .message(let index)? = self.symbol(name, scope: scope) else {
            throw Self.missing(name, use, file: file)
        }
        return index
    }

    /// Returns the type that a name refers to. Looks up a name without a leading dot in the scope, then in each
    /// enclosing scope.
    private func symbol(_ name: String, scope: String) -> DescriptorPool.Symbol? {
        if name.hasPrefix(".") { return self.symbols[String(name.dropFirst())] }
        var scope = scope[...]
        while true {
            if let symbol = self.symbols[Self.join(String(scope), name)] { return symbol }
            guard !scope.isEmpty else { return nil }
            scope = scope.lastIndex(of: ".").map { scope[..<$0] } ?? ""
        }
    }

    private static func missing(_ name: String, _ use: String, file: String) -> DescriptorError {
        let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
        return DescriptorError(
            "\(file): \(name), the type \(use), is not in the descriptor set; "
                + "create the set with protoc --include_imports or with buf build"
        )
    }

    /// Returns the default JSON name of a field: without underscores, and with a capital letter behind each.
    private static func jsonName(_ name: String) -> String {
        var result = ""
        var isCapital = false
        for character in name.unicodeScalars {
            if character == "_" {
                isCapital = true
            } else {
                result += isCapital ? String(character).uppercased() : String(character)
                isCapital = false
            }
        }
        return result
    }
}
