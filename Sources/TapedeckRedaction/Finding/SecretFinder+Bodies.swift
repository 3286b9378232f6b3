import TapedeckCodings
import TapedeckCore

extension SecretFinder {
    /// The secrets in a body without its content coding.
    ///
    /// - Parameter isRequest: it is the body of a request: see ``TextContext``.
    func edits(
        inBody text: UnsafeRawBufferPointer,
        contentType: String?,
        isRequest: Bool,
        depth: Int = 0
    ) -> [SecretEdit] {
        if depth < 4, BodyInspection.isMultipart(contentType), let contentType,
            let parts = MultipartRanges(text, contentType: contentType)
        {
            return self.edits(in: parts, of: text, isRequest, depth)
        }
        var context = TextContext(isRequest: isRequest)
        if !BodyInspection.isText(text) {
            context.kind = .binary
        } else if !self.onlyKnown {
            context.kind = TextKind(of: text, type: contentType)
        }
        var more = self.selected(in: text)
        if !self.onlyKnown, context.kind != .binary, TableLook.isTable(contentType) {
            more += TableLook.edits(in: text, self.rules, isRequest: isRequest)
        }
        if context.kind != .binary { more += self.edits(inStream: text, contentType: contentType) }
        return self.edits(in: text, context, with: more)
    }

    /// Returns the values at the user's JSON paths.
    private func selected(in text: UnsafeRawBufferPointer) -> [SecretEdit] {
        guard !self.onlyKnown, !self.rules.ownPaths.isEmpty,
            let first = text.first(where: { $0 > ASCII.space }), first == ASCII.openBrace || first == ASCII.openBracket,
            let value = try? JSONValue(parsing: text)
        else { return [] }
        return self.rules.ownPaths.flatMap { path, own in
            JSONPlaces(path, in: value, text).scalars.compactMap { scalar -> SecretEdit? in
                var edit = SecretEdit(range: scalar.range, value: [], name: own.name, rule: own.id)
                let decoded = DecodedText(json: text, scalar.range)
                edit.value = decoded.bytes
                if !scalar.isString {
                    edit.form = .number
                } else if decoded.bytes.count != scalar.range.count {
                    edit.form = .json
                }
                return edit.value.isEmpty ? nil : edit
            }
        }
    }

    private func edits(
        in parts: MultipartRanges,
        of text: UnsafeRawBufferPointer,
        _ isRequest: Bool,
        _ depth: Int
    ) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        func add(_ found: [SecretEdit], at offset: Int) {
            for var edit in found {
                edit.range = (edit.range.lowerBound + offset)..<(edit.range.upperBound + offset)
                edits.append(edit)
            }
        }
        for range in parts.between {
            add(self.edits(in: text.slice(range), TextContext(isRequest: isRequest)), at: range.lowerBound)
        }
        for part in parts.parts {
            let content = text.slice(part.content)
            if let edit = self.field(part, content, isRequest) {
                add([edit], at: part.content.lowerBound)
            } else {
                let found = self.edits(
                    inBody: content,
                    contentType: part.contentType,
                    isRequest: isRequest,
                    depth: depth + 1
                )
                add(found, at: part.content.lowerBound)
            }
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A part that is a secret as a whole, as its name says.
    private func field(
        _ part: MultipartRanges.Part,
        _ content: UnsafeRawBufferPointer,
        _ isRequest: Bool
    ) -> SecretEdit? {
        guard !self.onlyKnown, let text = part.name, !content.isEmpty, content.count <= 64 << 10,
            !SecretPlaceholder.mayBe(in: content)
        else { return nil }
        let name = ByteText.bytes(of: text)
        var edit = SecretEdit(range: 0..<content.count, value: Array(content), name: "", rule: "")
        if let own = self.rules.ownForm[name] {
            edit.name = own.name
            edit.rule = own.id
            return edit
        }
        return name.withUnsafeBytes { name in
            guard let (rule, place) = self.rules.field(name, .form), rule.holds(content, isRequest ? .certain : .data)
            else { return nil }
            edit.name = FieldName.placeholder(name[place])
            edit.rule = rule.id
            return edit
        }
    }

    /// The secrets in the value of a header field.
    func edits(inHeader name: String, _ value: UnsafeRawBufferPointer) -> [SecretEdit] {
        var found: [SecretEdit] = []
        if !self.onlyKnown {
            var name = name
            found = name.withUTF8 { self.fieldEdits(UnsafeRawBufferPointer($0), value) }
        }
        var context = TextContext(isURL: Self.isURLField(name))
        if let first = value.first, !self.onlyKnown,
            first == ASCII.openBrace || first == ASCII.openBracket || first == ASCII.quote
        {
            context.kind = TextKind(of: value, type: nil)
        }
        return self.edits(in: value, context, with: found)
    }

    private func fieldEdits(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> [SecretEdit] {
        let range = HeaderLook.trimmed(value, 0..<value.count)
        if !self.rules.ownHeaders.isEmpty,
            let own = self.rules.ownHeaders[ASCII.lowercased(String(decoding: name, as: UTF8.self))]
        {
            return range.isEmpty
                ? [] : [SecretEdit(range: range, value: Array(value[range]), name: own.name, rule: own.id)]
        }
        if HeaderLook.isSpecial(name) { return HeaderLook.edits(name, value, self.rules, .certain) }
        let parameters = HeaderLook.parameters(value, self.rules)
        guard let (rule, part) = self.rules.field(name, .header), rule.holds(value[range], .certain) else {
            return parameters
        }
        let called = FieldName.placeholder(name[part])
        var edit = SecretEdit(range: range, value: Array(value[range]), name: called, rule: rule.id)
        edit.parts = parameters.map { SecretEdit.Part(value: $0.value, name: $0.name) }
        return [edit]
    }

    private static func isURLField(_ name: String) -> Bool {
        ["location", "referer", "content-location", "origin"].contains { ASCII.equalsIgnoringCase($0, name) }
    }
}
