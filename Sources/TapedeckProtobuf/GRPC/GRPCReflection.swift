/// The messages of server reflection, with which a server sends its own descriptors.
///
/// The call is a bidirectional stream with one response for each request. Versions v1 and v1alpha have the same
/// messages.
package enum GRPCReflection {
    /// The paths of the method, newest version first. A server without a version answers `UNIMPLEMENTED`.
    package static let methods = [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ]

    /// A `ServerReflectionRequest`.
    package enum Request: Sendable, Hashable {
        case listServices
        /// Requests the file that defines the symbol with this full name.
        case fileContaining(symbol: String)
        case file(name: String)

        /// The requested symbol or file, for messages.
        package var subject: String {
            switch self {
            case .listServices: "list of services"
            case .fileContaining(let symbol): symbol
            case .file(let name): name
            }
        }

        /// The encoded message.
        package var bytes: [UInt8] {
            var writer = WireWriter()
            switch self {
            case .file(let name): writer.field(3, bytes: Array(name.utf8))
            case .fileContaining(let symbol): writer.field(4, bytes: Array(symbol.utf8))
            case .listServices: writer.field(7, bytes: [])
            }
            return writer.bytes
        }
    }

    /// A `ServerReflectionResponse`.
    package enum Response: Sendable, Equatable {
        /// Encoded `FileDescriptorProto`s: the requested file, and possibly files that it imports.
        case files([[UInt8]])
        /// Full names of services.
        case services([String])
        case error(GRPCStatusCode, message: String)

        /// Parses a response. Returns `nil` if the bytes are malformed or are another kind of response.
        package init?(parsing bytes: [UInt8]) {
            var response: Response?
            for field in ProtobufMessage(parsing: bytes)?.fields ?? [] {
                guard let inside = field.value.message else { continue }
                switch field.number {
                case 4: response = .files(inside.fields.compactMap { $0.bytes(1) })
                case 6:
                    let services = inside.fields.filter { $0.number == 1 }.compactMap(\.value.message)
                    response = .services(services.compactMap { $0.fields.lazy.compactMap { $0.text(1) }.first })
                case 7:
                    let code = inside.fields.lazy.compactMap { $0.varint(1) }.first ?? 0
                    let message = inside.fields.lazy.compactMap { $0.text(2) }.first ?? ""
                    response = .error(GRPCStatusCode(rawValue: Int(Int32(truncatingIfNeeded: code))), message: message)
                default: break
                }
            }
            guard let response else { return nil }
            self = response
        }
    }
}

extension ProtobufMessage.Field {
    fileprivate func bytes(_ number: Int) -> [UInt8]? {
        if self.number == number, case .bytes(let bytes) = self.value { bytes } else { nil }
    }

    fileprivate func text(_ number: Int) -> String? {
        self.bytes(number).map { String(decoding: $0, as: UTF8.self) }
    }

    fileprivate func varint(_ number: Int) -> UInt64? {
        if self.number == number, case .varint(let value) = self.value { value } else { nil }
    }
}

/// Fetches the files of all services of a server with one reflection call.
///
/// Send ``request`` and pass the response to ``receive(_:)``, until ``request`` is `nil`. Then call ``descriptors()``.
package struct GRPCReflectionDialogue: Sendable {
    /// The maximum number of files, so that no server can keep the dialogue going forever.
    private static let fileLimit = 10_000

    /// The next request; `nil` when the dialogue is complete.
    package var request: GRPCReflection.Request? { self.requests.last }
    /// The requests that the server could not answer, each with its error.
    package private(set) var problems: [String] = []

    /// A stack: the last request is the next one.
    private var requests: [GRPCReflection.Request] = [.listServices]
    private var asked: Set<GRPCReflection.Request> = [.listServices]
    private var files: [[UInt8]] = []
    private var fileNames: Set<String> = []

    package init() {}

    /// Handles the response to ``request``.
    ///
    /// - Parameter response: the encoded message.
    package mutating func receive(_ response: [UInt8]) {
        guard let request = self.requests.popLast() else { return }
        switch GRPCReflection.Response(parsing: response) {
        case .services(let names):
            for name in names.reversed() where !name.hasPrefix("grpc.reflection.") {
                self.ask(.fileContaining(symbol: name))
            }
        case .files(let files):
            for file in files { self.add(file) }
        case .error(let code, let message): self.report("\(code) \(message)", request)
        case nil: self.report("the response cannot be read", request)
        }
    }

    private mutating func report(_ problem: String, _ request: GRPCReflection.Request) {
        self.problems.append("\(request.subject): \(problem)")
    }

    private mutating func add(_ file: [UInt8]) {
        guard let definition = try? FileDefinition(WireReader(file)), self.files.count < Self.fileLimit,
            self.fileNames.insert(definition.name).inserted
        else { return }
        self.files.append(file)
        for name in definition.dependencies { self.ask(.file(name: name)) }
    }

    private mutating func ask(_ request: GRPCReflection.Request) {
        // Skips a file that came with another one.
        if case .file(let name) = request, self.fileNames.contains(name) { return }
        if self.asked.insert(request).inserted { self.requests.append(request) }
    }

    /// True if the server sent descriptors.
    package var hasFiles: Bool { !self.files.isEmpty }

    /// Returns the descriptor set of all files that the server sent.
    ///
    /// - Throws: if a file has a type that none of the files defines.
    package func descriptors() throws(DescriptorError) -> DescriptorSet {
        try DescriptorSet(files: self.files)
    }
}
