/// The messages and services of a `google.protobuf.FileDescriptorSet`.
///
/// `protoc --include_imports --descriptor_set_out=FILE` and `buf build -o FILE` create such sets. The well-known types
/// of `google/protobuf` and the standard errors of `google/rpc` are built in.
package struct DescriptorSet: Sendable {
    /// A `.proto` file.
    private struct File: Sendable {
        var definition: FileDefinition
        /// The encoded `FileDescriptorProto`.
        var bytes: [UInt8]
    }

    private let files: [File]
    private let pool: DescriptorPool

    /// The set of only the built-in files.
    package static let builtIn = DescriptorSet()

    private init() {
        self.files = []
        do throws(DescriptorError) {
            self.pool = try DescriptorPool(BuiltInFiles.all)
        } catch {
            preconditionFailure("the built-in files are incomplete: \(error)")
        }
    }

    /// Parses a `FileDescriptorSet`.
    ///
    /// - Throws: if the bytes are malformed, the set is empty, or a type is missing.
    package init(parsing bytes: [UInt8]) throws(DescriptorError) {
        var reader = WireReader(bytes)
        var files: [[UInt8]] = []
        do throws(WireError) {
            while let field = try reader.next() {
                if field.number == 1, case .bytes(let range) = field.value { files.append(Array(bytes[range])) }
            }
        } catch {
            throw DescriptorError(
                "not a descriptor set: malformed at byte \(error.offset); "
                    + "create one with protoc --include_imports --descriptor_set_out=FILE"
            )
        }
        guard !files.isEmpty else {
            throw DescriptorError("the descriptor set is empty; pass the .proto files to protoc")
        }
        try self.init(files: files)
    }

    /// Parses `FileDescriptorProto`s, as server reflection sends them. Of several files with one name, the first
    /// counts.
    ///
    /// - Throws: if the bytes are malformed, or a type is missing.
    package init(files: [[UInt8]]) throws(DescriptorError) {
        var read: [File] = []
        for bytes in files {
            do throws(WireError) {
                read.append(File(definition: try FileDefinition(WireReader(bytes)), bytes: bytes))
            } catch {
                throw DescriptorError("a file in the descriptor set is malformed at byte \(error.offset)")
            }
        }
        try self.init(read)
    }

    private init(_ files: [File]) throws(DescriptorError) {
        var names: Set<String> = []
        self.files = files.filter { names.insert($0.definition.name).inserted }
        self.pool = try DescriptorPool(self.files.map(\.definition) + BuiltInFiles.all)
    }

    /// Returns this set with the files of another set added. Files and types of this set take precedence over those
    /// with the same name.
    ///
    /// - Throws: if a file of the other set needs a type that is missing from this set's file of the same name.
    package func merging(_ other: DescriptorSet) throws(DescriptorError) -> DescriptorSet {
        try DescriptorSet(self.files + other.files)
    }

    /// The encoded `FileDescriptorSet`, without built-in files.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        for file in self.files { writer.field(1, bytes: file.bytes) }
        return writer.bytes
    }

    /// The names of the `.proto` files, in the order of the set, without built-in files.
    package var fileNames: [String] { self.files.map(\.definition.name) }

    /// The full names of all services, in alphabetical order.
    package var services: [String] { self.pool.services.keys.sorted() }

    /// Returns the methods of a service, in the order of its file; empty for an unknown service.
    package func methods(of service: String) -> [MethodDescriptor] {
        self.pool.services[service, default: []].map { MethodDescriptor(service: service, $0, self.pool) }
    }

    /// Returns the method with a path such as `/package.Service/Method`. The leading slash is optional.
    package func method(_ path: String) -> MethodDescriptor? {
        let parts = (path.hasPrefix("/") ? path.dropFirst() : path[...]).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 else { return nil }
        return self.methods(of: String(parts[0])).first { $0.name == parts[1] }
    }

    /// Returns the message with a full name such as `package.Message`.
    package func message(_ name: String) -> MessageType? {
        self.pool.message(named: name).map { MessageType(pool: self.pool, index: $0) }
    }
}

/// A method of a service.
package struct MethodDescriptor: Sendable {
    /// The full name of the service.
    package let service: String
    package let name: String
    /// The type of the client's messages.
    package let input: MessageType
    /// The type of the server's messages.
    package let output: MessageType
    package let isClientStreaming: Bool
    package let isServerStreaming: Bool

    init(service: String, _ method: DescriptorPool.Method, _ pool: DescriptorPool) {
        self.service = service
        self.name = method.name
        self.input = MessageType(pool: pool, index: method.input)
        self.output = MessageType(pool: pool, index: method.output)
        self.isClientStreaming = method.isClientStreaming
        self.isServerStreaming = method.isServerStreaming
    }
}
