import TapedeckCore

/// Fields whose names precede a colon.
extension TextScanner {
    static let longestName = 96

    // MARK: JSON

    /// Finds the members of JSON in a part of the text: a string, a colon and a value.
    ///
    /// JSON is not parsed, so that truncated JSON, JSON texts line by line and streams of events are searched too. No
    /// string of JSON contains a line end (RFC 8259 section 7), so a stray quotation mark counts to the end of its
    /// line.
    mutating func members(in range: Range<Int>) {
        var index = range.lowerBound
        while let quote = self.text.index(of: ASCII.quote, from: index), quote < range.upperBound {
            let end = self.endOfString(from: quote + 1)
            index = end + 1
            var colon = index
            while colon < self.text.count, self.text[colon] <= ASCII.space { colon += 1 }
            guard colon < self.text.count, self.text[colon] == ASCII.colon, self.text[end] == ASCII.quote else {
                continue
            }
            index = self.member((quote + 1)..<end, colon: colon)
        }
    }

    /// Returns the end of a string: its quotation mark, or the end of its line or of the text.
    private func endOfString(from start: Int) -> Int {
        let text = self.text
        // Read once: in a loop of this size the compiler calls them.
        let (quote, lineFeed, backslash) = (ASCII.quote, ASCII.lineFeed, ASCII.backslash)
        var end = start
        while end < text.count {
            let byte = text[end]
            if byte == quote || byte == lineFeed { return end }
            end += byte == backslash ? 2 : 1
        }
        return text.count
    }

    /// Examines one member, and returns where to continue: after its value if that is a string.
    private mutating func member(_ place: Range<Int>, colon: Int) -> Int {
        var begin = colon + 1
        while begin < self.text.count, self.text[begin] <= ASCII.space { begin += 1 }
        guard begin < self.text.count else { return begin }
        let isString = self.text[begin] == ASCII.quote
        let end = isString ? self.endOfString(from: begin + 1) : begin
        guard !place.isEmpty, place.count <= Self.longestName else { return isString ? end + 1 : begin }
        let name = self.text.slice(place)
        if name.contains(ASCII.backslash) {
            DecodedText(json: self.text, place).bytes.withUnsafeBytes { name in
                self.value(of: name, isString ? (begin + 1)..<end : begin..<begin, isString)
            }
        } else {
            self.value(of: name, isString ? (begin + 1)..<end : begin..<begin, isString)
        }
        return isString ? end + 1 : begin
    }

    /// The value of a member: the content of a string, or where something else begins.
    private mutating func value(of name: UnsafeRawBufferPointer, _ range: Range<Int>, _ isString: Bool) {
        let found = self.rules.field(name, .json) ?? (name.contains(0x2D) ? self.rules.field(name, .header) : nil)
        guard isString else {
            let first = range.lowerBound < self.text.count ? self.text[range.lowerBound] : 0
            if first == ASCII.openBrace || first == ASCII.openBracket {
                guard let (rule, part) = found ?? self.rule(ofMany: name) else { return }
                self.nested(Array(name[part]), rule, at: range.lowerBound, isMany: found == nil)
            } else if let (rule, part) = found {
                self.number(from: range.lowerBound, name[part], rule)
            }
            return
        }
        if HeaderLook.isSpecial(name) { return self.headerValue(name, range) }
        if range.lowerBound < self.text.count, self.text[range.lowerBound] == ASCII.slash {
            self.link(from: range.lowerBound)
        }
        self.named(name, range)
        guard let (rule, part) = found else { return self.privateMember(name, range) }
        let text = self.text
        guard self.holds(rule, self.trust, range, { DecodedText(json: text, $0).bytes }) else { return }
        let decoded = DecodedText(json: self.text, range)
        var edit = SecretEdit(range: range, value: decoded.bytes, name: "", rule: rule.id)
        edit.name = FieldName.placeholder(name[part])
        if decoded.bytes.count != range.count { edit.form = .json }
        self.edits.append(edit)
    }

    private mutating func number(from start: Int, _ name: Slice<UnsafeRawBufferPointer>, _ rule: FieldRule) {
        var end = start
        while end < self.text.count, (0x30...0x39).contains(self.text[end]) { end += 1 }
        guard rule.condition != .chosen, end > start, end == self.text.count || !Self.isNameByte(self.text[end]),
            rule.holds(self.text[start..<end], self.trust)
        else { return }
        var edit = SecretEdit(range: start..<end, value: Array(self.text[start..<end]), name: "", rule: rule.id)
        edit.name = FieldName.placeholder(name)
        edit.form = .number
        self.edits.append(edit)
    }

    // MARK: name: value

    mutating func colon(at index: Int) {
        if index + 2 < self.text.count, self.text[index + 1] == ASCII.slash, self.text[index + 2] == ASCII.slash {
            self.authority(at: index + 3)
            return
        }
        switch self.context.kind {
        case .looseJSON, .graphQL, .assignments, .message: break
        case .plain: return self.line(colon: index)
        default: return
        }
        var end = index
        while end > 0, index - end < 3, self.text[end - 1] == ASCII.space { end -= 1 }
        guard end > 0 else { return }
        let quote = self.text[end - 1]
        if quote == ASCII.quote || quote == 0x27 {
            self.member(endingAt: end - 1, quote: quote, colon: index)
        } else if self.context.kind == .looseJSON || self.context.kind == .graphQL {
            self.argument(endingAt: end, colon: index)
        } else if end == index {
            self.line(colon: index)
        }
    }

    /// `"name": "value"` and `'name': 'value'` in texts that are not all JSON.
    private mutating func member(endingAt end: Int, quote: UInt8, colon: Int) {
        var start = end
        while start > 0, end - start <= Self.longestName, self.text[start - 1] != quote { start -= 1 }
        guard start > 0, start < end, end - start <= Self.longestName else { return }
        self.value(of: self.text.slice(start..<end), behind: colon)
    }

    /// `name: "value"`, an argument of GraphQL or a member without quotation marks around its name.
    private mutating func argument(endingAt end: Int, colon: Int) {
        var start = end
        while start > 0, end - start < Self.longestName, Self.isNameByte(self.text[start - 1]),
            self.text[start - 1] != ASCII.openBracket
        {
            start -= 1
        }
        guard start < end else { return }
        self.value(of: self.text.slice(start..<end), behind: colon)
    }

    private mutating func value(of name: UnsafeRawBufferPointer, behind colon: Int) {
        var begin = colon + 1
        while begin < self.text.count, self.text[begin] <= ASCII.space { begin += 1 }
        guard begin < self.text.count else { return }
        let quote = self.text[begin]
        guard quote == ASCII.quote || quote == 0x27 else { return self.value(of: name, begin..<begin, false) }
        var end = begin + 1
        while end < self.text.count, self.text[end] != quote { end += self.text[end] == ASCII.backslash ? 2 : 1 }
        self.value(of: name, (begin + 1)..<min(max(end, begin + 1), self.text.count), true)
    }

    /// A header line, or a line of YAML: `Authorization: Bearer ...`, `password: hunter2`.
    private mutating func line(colon: Int) {
        guard colon >= self.valueEnd else { return }
        var start = colon
        while start > 0, colon - start < Self.longestName, Self.isNameByte(self.text[start - 1]) { start -= 1 }
        guard start < colon, colon + 1 < self.text.count else { return }
        let name = self.text.slice(start..<colon)
        var end = colon + 1
        while end < self.text.count, self.text[end] == ASCII.space || self.text[end] == ASCII.tab { end += 1 }
        let begin = end
        if HeaderLook.isSpecial(name) {
            guard colon >= self.lineEnd else { return }
            while end < self.text.count, !Self.endsLine(self.text[end]) { end += 1 }
            self.lineEnd = end
            return self.headerValue(name, begin..<end)
        }
        if name.contains(0x2D), let (rule, part) = self.rules.field(name, .header) {
            let range = self.word(from: colon + 1)
            guard self.holds(rule, self.trust, range) else { return }
            self.valueEnd = range.upperBound
            self.add(range, FieldName.placeholder(name[part]), rule.id)
            return
        }
        guard begin > colon + 1, self.context.kind != .plain, let (rule, part) = self.rules.field(name, .assignment)
        else { return }
        let isLine = self.context.kind == .assignments
        let range = isLine ? self.assigned(from: begin, isPair: false) : self.word(from: begin)
        // `Forgot your password: click here` gives none away.
        let isLast = isLine || range.upperBound == self.text.count || self.text[range.upperBound] != ASCII.space
        guard isLine ? self.beginsLine(start) : true, self.holds(rule, self.trust, range),
            isLast || ValueLook.isTokenLike(self.text[range])
        else { return }
        self.valueEnd = range.upperBound
        self.add(range, FieldName.placeholder(name[part]), rule.id)
    }

    /// Returns true if only space, a quotation mark or a list marker precedes a name in its line.
    private func beginsLine(_ start: Int) -> Bool {
        var index = start
        while index > 0, start - index < 64 {
            switch self.text[index - 1] {
            case ASCII.space, ASCII.tab, 0x2D, ASCII.quote: index -= 1
            case ASCII.lineFeed, ASCII.openBrace, ASCII.comma: return true
            default: return false
            }
        }
        return index == 0
    }

    private static func endsLine(_ byte: UInt8) -> Bool {
        byte == ASCII.lineFeed || byte == ASCII.carriageReturn || byte == ASCII.quote || byte == 0x27
            || byte == ASCII.backslash
    }

    // MARK: Headers in a text

    /// The value of an Authorization or Cookie field that a text shows, such as one that echoes a request.
    mutating func headerValue(_ name: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let found = HeaderLook.edits(name, self.text.slice(range), self.rules, self.trust)
        self.edits += found.map { edit in
            var edit = edit
            edit.range = (edit.range.lowerBound + range.lowerBound)..<(edit.range.upperBound + range.lowerBound)
            return edit
        }
    }
}
