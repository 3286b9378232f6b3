import TapedeckCore

/// Values of fields in HTML and XML.
extension TextScanner {
    /// The start tag at an index.
    mutating func tag(at index: Int) {
        switch self.context.kind {
        case .html, .xml, .message: break
        default: return
        }
        self.input(at: index)
        if self.context.kind == .html { self.script(at: index) }
    }

    /// `<script type="application/json">` holds data.
    private mutating func script(at index: Int) {
        guard index >= self.scriptEnd, self.text.has("<script", at: index) else { return }
        var position = index + 7
        var isData = false
        while let (attribute, content) = self.attribute(at: &position) {
            let word = self.text.slice(attribute)
            guard word.count == 4, word.has("type", at: 0), content.count >= 4 else { continue }
            isData = self.text.has("json", at: content.upperBound - 4)
        }
        guard isData, position < self.text.count else { return }
        var end = position
        while let tag = self.text.index(of: 0x3C, from: end), !self.text.has("</script", at: tag) { end = tag + 1 }
        self.scriptEnd = self.text.index(of: 0x3C, from: end) ?? self.text.count
        self.members(in: position..<self.scriptEnd)
    }

    /// `<input name="csrf_token" value="...">` and `<meta name="csrf-token" content="...">`, with the attributes in any
    /// order; `<input type="password" value="...">`.
    private mutating func input(at index: Int) {
        guard index >= self.tagEnd else { return }
        let isInput = self.text.has("<input", at: index)
        guard isInput || self.text.has("<meta", at: index) else { return }
        var position = index + (isInput ? 6 : 5)
        guard position < self.text.count, self.text[position] <= ASCII.space || self.text[position] == ASCII.slash
        else {
            return
        }
        var name: Range<Int>?
        var value: Range<Int>?
        var isPassword = false
        while let (attribute, content) = self.attribute(at: &position) {
            let word = self.text.slice(attribute)
            if word.count == 4, word.has("name", at: 0) {
                name = name ?? content
            } else if word.count == 2, word.has("id", at: 0), !isInput {
                name = name ?? content
            } else if isInput
                ? word.count == 5 && word.has("value", at: 0) : word.count == 7 && word.has("content", at: 0)
            {
                value = value ?? content
            } else if isInput, word.count == 4, word.has("type", at: 0) {
                isPassword = content.count == 8 && self.text.has("password", at: content.lowerBound)
            }
        }
        self.tagEnd = position
        guard let value, !value.isEmpty else { return }
        let trust: FieldRule.Trust = self.context.kind == .message ? .certain : .data
        if let name, let (rule, part) = self.rules.field(self.text.slice(name), .form) {
            guard rule.holds(self.text[value], trust) else { return }
            self.add(value, FieldName.placeholder(self.text.slice(name)[part]), rule.id)
        } else if isPassword, self.rules.isOn("passwords"),
            ValueLook.isSecretLike(self.text[value], isPassword: true)
        {
            self.add(value, "password", "passwords")
        }
    }

    /// The next attribute of a tag and what it holds; `nil` at the end of the tag.
    private func attribute(at position: inout Int) -> (name: Range<Int>, content: Range<Int>)? {
        func skipSpace(_ index: inout Int) {
            while index < self.text.count, self.text[index] <= ASCII.space || self.text[index] == ASCII.slash {
                index += 1
            }
        }
        func ends(_ byte: UInt8) -> Bool { byte <= ASCII.space || byte == 0x3C || byte == 0x3E }
        skipSpace(&position)
        let start = position
        while position < self.text.count, self.text[position] != ASCII.equals, !ends(self.text[position]) {
            position += 1
        }
        guard position > start else { return nil }
        let name = start..<position
        var next = position
        while next < self.text.count, self.text[next] <= ASCII.space { next += 1 }
        guard next < self.text.count, self.text[next] == ASCII.equals else { return (name, position..<position) }
        next += 1
        while next < self.text.count, self.text[next] <= ASCII.space { next += 1 }
        guard next < self.text.count else {
            position = next
            return (name, next..<next)
        }
        let quote = self.text[next]
        if quote == ASCII.quote || quote == 0x27 {
            let end = self.text.index(of: quote, from: next + 1) ?? self.text.count
            position = min(end + 1, self.text.count)
            return (name, (next + 1)..<end)
        }
        position = next
        while position < self.text.count, !ends(self.text[position]) { position += 1 }
        return (name, next..<position)
    }

    // MARK: <name>value</name>

    /// The element whose start tag ends at an index, with its text or its CDATA section (XML 1.0 section 2.7).
    mutating func element(endingAt end: Int) {
        guard self.context.kind == .xml || self.context.kind == .message else { return }
        var start = end
        while start > 0, end - start < 160, self.text[start - 1] != 0x3C, self.text[start - 1] != 0x3E { start -= 1 }
        guard start > 0, self.text[start - 1] == 0x3C, start < end, self.text[start] != ASCII.slash else { return }
        var nameEnd = start
        while nameEnd < end, self.text[nameEnd] > ASCII.space, self.text[nameEnd] != ASCII.slash { nameEnd += 1 }
        guard nameEnd > start, self.text[end - 1] != ASCII.slash else { return }
        let name = self.text.slice(start..<nameEnd)
        // In XML a key is the name of an object, or of what follows.
        guard let (rule, part) = self.rules.field(name, .json), rule.condition != .drawnKey else { return }
        var range = (end + 1)..<(self.text.index(of: 0x3C, from: end + 1) ?? self.text.count)
        range = self.withoutSpace(range)
        if range.isEmpty, self.text.has("<![cdata[", at: range.upperBound) {
            let content = range.upperBound + 9
            range = content..<(self.text.range(of: Array("]]>".utf8), from: content)?.lowerBound ?? self.text.count)
        }
        guard self.holds(rule, self.trust, range) else { return }
        self.add(range, FieldName.placeholder(name[part]), rule.id)
    }

    private func withoutSpace(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self.text[start] <= ASCII.space { start += 1 }
        while end > start, self.text[end - 1] <= ASCII.space { end -= 1 }
        return start..<end
    }
}
