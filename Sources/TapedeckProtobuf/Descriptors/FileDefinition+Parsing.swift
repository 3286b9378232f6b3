// Decodes the messages of google/protobuf/descriptor.proto by their field numbers.

extension WireReader {
    /// Returns a reader of the message in a range of the bytes.
    func inside(_ range: Range<Int>) -> WireReader {
        WireReader(self.bytes, in: range)
    }

    /// Returns a string. Invalid UTF-8 becomes U+FFFD, which occurs in no name.
    func text(_ range: Range<Int>) -> String {
        String(decoding: self.bytes[range], as: UTF8.self)
    }
}

extension FileDefinition {
    /// Decodes a `FileDescriptorProto`.
    init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        var syntax = ""
        var edition: UInt64 = 0
        var changes = FeatureChanges()
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): self.name = reader.text(range)
            case (2, .bytes(let range)): self.package = reader.text(range)
            case (3, .bytes(let range)): self.dependencies.append(reader.text(range))
            case (4, .bytes(let range)): self.messages.append(try MessageDefinition(reader.inside(range), depth: 1))
            case (5, .bytes(let range)): self.enums.append(try EnumDefinition(reader.inside(range)))
            case (6, .bytes(let range)): self.services.append(try ServiceDefinition(reader.inside(range)))
            case (7, .bytes(let range)): self.extensions.append(try FieldDefinition(reader.inside(range)))
            case (8, .bytes(let range)): try changes.readOptions(reader.inside(range), featuresAt: 50)
            case (12, .bytes(let range)): syntax = reader.text(range)
            case (14, .varint(let value)): edition = value
            default: break
            }
        }
        // Editions 998 and 999 are proto2 and proto3.
        switch (syntax, edition) {
        case ("proto3", _), (_, 999): self.features = .proto3
        case ("editions", 1000...), (_, 1000...): self.features = .editions
        default: self.features = .proto2
        }
        self.features = self.features.changed(by: changes)
    }
}

extension MessageDefinition {
    /// Decodes a `DescriptorProto`.
    fileprivate init(_ reader: WireReader, depth: Int) throws(WireError) {
        guard depth <= WireReader.depthLimit else { throw WireError(offset: reader.index) }
        var reader = reader
        while let field = try reader.next() {
            guard case .bytes(let range) = field.value else { continue }
            let inside = reader.inside(range)
            switch field.number {
            case 1: self.name = reader.text(range)
            case 2: self.fields.append(try FieldDefinition(inside))
            case 3: self.messages.append(try MessageDefinition(inside, depth: depth + 1))
            case 4: self.enums.append(try EnumDefinition(inside))
            case 6: self.extensions.append(try FieldDefinition(inside))
            case 7:
                try self.changes.readOptions(inside, featuresAt: 12)
                self.isMapEntry = try inside.lastVarint(7) == 1
            case 8: self.oneofs.append(try OneofDefinition(inside))
            default: break
            }
        }
    }
}

extension OneofDefinition {
    /// Decodes a `OneofDescriptorProto`.
    fileprivate init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): self.name = reader.text(range)
            case (2, .bytes(let range)): try self.changes.readOptions(reader.inside(range), featuresAt: 1)
            default: break
            }
        }
    }
}

extension FieldDefinition {
    /// Decodes a `FieldDescriptorProto`.
    fileprivate init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): self.name = reader.text(range)
            case (2, .bytes(let range)): self.extendee = reader.text(range)
            case (3, .varint(let value)): self.number = Int(truncatingIfNeeded: value)
            case (4, .varint(let value)): self.label = Label(rawValue: Int(truncatingIfNeeded: value)) ?? .optional
            case (5, .varint(let value)): self.kind = Kind(rawValue: Int(truncatingIfNeeded: value))
            case (6, .bytes(let range)): self.typeName = reader.text(range)
            case (8, .bytes(let range)):
                try self.changes.readOptions(reader.inside(range), featuresAt: 21)
                self.isPacked = try reader.inside(range).lastVarint(2).map { $0 != 0 }
            case (9, .varint(let value)): self.oneof = Int(truncatingIfNeeded: value)
            case (10, .bytes(let range)): self.jsonName = reader.text(range)
            case (17, .varint(let value)): self.isOptional = value != 0
            default: break
            }
        }
    }
}

extension EnumDefinition {
    /// Decodes an `EnumDescriptorProto`.
    fileprivate init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            guard case .bytes(let range) = field.value else { continue }
            var inside = reader.inside(range)
            switch field.number {
            case 1: self.name = reader.text(range)
            case 2:
                var value: (name: String, number: Int32) = ("", 0)
                while let field = try inside.next() {
                    switch (field.number, field.value) {
                    case (1, .bytes(let range)): value.name = inside.text(range)
                    case (2, .varint(let number)): value.number = Int32(truncatingIfNeeded: number)
                    default: break
                    }
                }
                self.values.append(value)
            case 3: try self.changes.readOptions(inside, featuresAt: 7)
            default: break
            }
        }
    }
}

extension ServiceDefinition {
    /// Decodes a `ServiceDescriptorProto`.
    fileprivate init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): self.name = reader.text(range)
            case (2, .bytes(let range)): self.methods.append(try MethodDefinition(reader.inside(range)))
            default: break
            }
        }
    }
}

extension MethodDefinition {
    /// Decodes a `MethodDescriptorProto`.
    fileprivate init(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): self.name = reader.text(range)
            case (2, .bytes(let range)): self.input = reader.text(range)
            case (3, .bytes(let range)): self.output = reader.text(range)
            case (5, .varint(let value)): self.isClientStreaming = value != 0
            case (6, .varint(let value)): self.isServerStreaming = value != 0
            default: break
            }
        }
    }
}

extension FeatureChanges {
    /// Reads the features from a message of options.
    ///
    /// - Parameter number: the field number of the features, which differs between the messages.
    fileprivate mutating func readOptions(_ reader: WireReader, featuresAt number: Int) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            if field.number == number, case .bytes(let range) = field.value { try self.read(reader.inside(range)) }
        }
    }
}

extension WireReader {
    /// Returns the last varint in a field; `nil` if the field is missing.
    fileprivate func lastVarint(_ number: Int) throws(WireError) -> UInt64? {
        var reader = self
        var last: UInt64?
        while let field = try reader.next() {
            if field.number == number, case .varint(let value) = field.value { last = value }
        }
        return last
    }
}
