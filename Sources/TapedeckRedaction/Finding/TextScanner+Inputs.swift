import TapedeckCore

/// Values of fields in HTML.
extension TextScanner {
    /// `<input name="csrf_token" value="...">` and `<meta name="csrf-token" content="...">`, with the attributes in any
    /// order; `<input type="password" value="...">`.
    mutating func input(at index: Int) {
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
        if let name, let (rule, part) = self.rules.field(self.text.slice(name), .form) {
            guard rule.holds(self.text[value]) else { return }
            self.add(value, FieldName.placeholder(self.text.slice(name)[part]), rule.id)
        } else if isPassword, self.rules.isOn("passwords"), !ValueLook.isNothing(self.text[value]) {
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
}
