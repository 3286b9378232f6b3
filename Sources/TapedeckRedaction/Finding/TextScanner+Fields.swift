import TapedeckCore

/// Values of fields, wherever a text names them.
extension TextScanner {
    private static let longestName = 96

    // MARK: name=value

    mutating func equals(at index: Int) {
        guard index >= self.valueEnd else { return }
        var end = index
        while end > 0, index - end < 2, self.text[end - 1] == ASCII.space { end -= 1 }
        var start = end
        while start > 0, end - start < Self.longestName, Self.isNameByte(self.text[start - 1]) { start -= 1 }
        guard start < end else { return }
        let before = start > 0 ? self.text[start - 1] : ASCII.ampersand
        let name = self.text.slice(start..<end)
        let isParameter =
            end == index && (before == ASCII.ampersand || before == ASCII.question || before == ASCII.hash)
        if self.context.isForm, isParameter {
            let own = self.rules.ownForm.isEmpty ? nil : self.rules.ownForm[Array(name)]
            self.parameter(name, index + 1, .form, own)
        } else if isParameter, start > 0 {
            let own = self.rules.ownQuery.isEmpty ? nil : self.rules.ownQuery[Array(name)]
            self.parameter(name, index + 1, .query, own)
        } else {
            self.assignment(name, index + 1)
        }
    }

    private mutating func parameter(
        _ name: UnsafeRawBufferPointer,
        _ start: Int,
        _ place: FieldRule.Place,
        _ own: RedactionRules.Own?
    ) {
        let found = own == nil ? self.rules.field(name, place) : nil
        guard own != nil || found != nil else { return }
        var end = self.endOfParameter(from: start)
        if !self.context.isURL, !self.context.isForm {
            while end > start, Self.isPunctuation(self.text[end - 1]) { end -= 1 }
        }
        let (text, isForm) = (self.text, self.context.isForm)
        if let rule = found?.rule {
            let holds = self.holds(rule, start..<end) { DecodedText(percent: text, $0, plusIsSpace: isForm).bytes }
            guard holds else { return }
        }
        let decoded = DecodedText(percent: self.text, start..<end, plusIsSpace: self.context.isForm)
        var edit = SecretEdit(range: start..<end, value: decoded.bytes, name: "", rule: "")
        if decoded.bytes.count != end - start || !self.text[start..<end].elementsEqual(decoded.bytes) {
            edit.form = .percent
        }
        if let own {
            guard !ValueLook.isNothing(decoded.bytes) else { return }
            edit.name = own.name
            edit.rule = own.id
        } else if let (rule, part) = found {
            edit.name = FieldName.placeholder(name[part])
            edit.rule = rule.id
        }
        self.valueEnd = end
        self.edits.append(edit)
    }

    private mutating func endOfParameter(from start: Int) -> Int {
        guard !self.parameterPlace.contains(start) else { return self.parameterPlace.upperBound }
        var end = start
        while end < self.text.count, !self.endsParameter(self.text[end]) { end += 1 }
        self.parameterPlace = start..<end
        return end
    }

    private func endsParameter(_ byte: UInt8) -> Bool {
        if byte == ASCII.ampersand { return true }
        if self.context.isForm { return false }
        if byte == ASCII.hash || byte <= ASCII.space { return true }
        if self.context.isURL { return false }
        switch byte {
        case ASCII.quote, 0x27, 0x3C, 0x3E, 0x60, ASCII.backslash, ASCII.closeBrace: return true
        default: return false
        }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2E, ASCII.comma, ASCII.colon, ASCII.semicolon, 0x21, ASCII.question, 0x29, ASCII.closeBracket: true
        default: false
        }
    }

    /// `password = hunter2`, `AccountKey=...;`, `password="hunter2"`.
    private mutating func assignment(_ name: UnsafeRawBufferPointer, _ start: Int) {
        guard let (rule, part) = self.rules.field(name, .assignment) else { return }
        let range = self.word(from: start)
        guard self.holds(rule, range) else { return }
        self.valueEnd = range.upperBound
        self.add(range, FieldName.placeholder(name[part]), rule.id)
    }

    private mutating func holds(_ rule: FieldRule, _ range: Range<Int>) -> Bool {
        let text = self.text
        return self.holds(rule, range) { Array(text[$0]) }
    }

    /// The word that begins at an index, or behind spaces or a quotation mark there.
    private mutating func word(from start: Int) -> Range<Int> {
        var start = start
        while start < self.text.count, self.text[start] == ASCII.space || self.text[start] == ASCII.tab { start += 1 }
        guard start < self.text.count else { return start..<start }
        let quote = self.text[start]
        if quote == ASCII.quote || quote == 0x27 {
            let end = self.text.index(of: quote, from: start + 1) ?? self.text.count
            return (start + 1)..<end
        }
        guard !self.wordPlace.contains(start) else { return start..<self.wordPlace.upperBound }
        var end = start
        scan: while end < self.text.count {
            switch self.text[end] {
            case 0...0x20, ASCII.quote, 0x27, ASCII.ampersand, ASCII.comma, ASCII.semicolon, 0x3C, 0x3E, 0x29,
                ASCII.closeBrace,
                ASCII.closeBracket, ASCII.backslash, 0x60:
                break scan
            default: end += 1
            }
        }
        self.wordPlace = start..<end
        return start..<end
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E, 0x24, ASCII.openBracket, ASCII.closeBracket,
            0x80...:
            true
        default: false
        }
    }

    // MARK: name: value

    mutating func colon(at index: Int) {
        if index + 2 < self.text.count, self.text[index + 1] == ASCII.slash, self.text[index + 2] == ASCII.slash {
            return self.authority(at: index + 3)
        }
        var end = index
        while end > 0, index - end < 3, self.text[end - 1] == ASCII.space { end -= 1 }
        guard end > 0 else { return }
        let quote = self.text[end - 1]
        if quote == ASCII.quote || quote == 0x27 {
            self.member(endingAt: end - 1, quote: quote, colon: index)
        } else if end == index {
            self.line(colon: index)
        }
    }

    /// `"name": "value"`, and `'name': 'value'`.
    private mutating func member(endingAt end: Int, quote: UInt8, colon: Int) {
        var start = end
        while start > 0, end - start <= Self.longestName, self.text[start - 1] != quote { start -= 1 }
        guard start > 0, start < end, end - start <= Self.longestName else { return }
        let name = self.text.slice(start..<end)
        let isHeader = HeaderLook.isSpecial(name)
        let found = self.rules.field(name, .json) ?? (name.contains(0x2D) ? self.rules.field(name, .header) : nil)
        guard isHeader || found != nil else { return }
        var begin = colon + 1
        while begin < self.text.count, self.text[begin] <= ASCII.space { begin += 1 }
        guard begin < self.text.count else { return }
        guard self.text[begin] == ASCII.quote || self.text[begin] == quote else {
            if let (rule, part) = found { self.number(from: begin, name[part], rule) }
            return
        }
        let range = self.string(from: begin + 1, quote: self.text[begin])
        if isHeader {
            self.headerValue(name, range)
            return
        }
        guard let (rule, part) = found else { return }
        let decoded = DecodedText(json: self.text, range)
        guard rule.holds(decoded.bytes) else { return }
        var edit = SecretEdit(range: range, value: decoded.bytes, name: "", rule: rule.id)
        edit.name = FieldName.placeholder(name[part])
        if decoded.bytes.count != range.count { edit.form = .json }
        self.edits.append(edit)
    }

    /// The content of the string whose first byte is at `start`.
    private func string(from start: Int, quote: UInt8) -> Range<Int> {
        var end = start
        while end < self.text.count, self.text[end] != quote {
            end += self.text[end] == ASCII.backslash ? 2 : 1
        }
        return start..<min(end, self.text.count)
    }

    private mutating func number(from start: Int, _ name: Slice<UnsafeRawBufferPointer>, _ rule: FieldRule) {
        var end = start
        while end < self.text.count, (0x30...0x39).contains(self.text[end]) { end += 1 }
        guard end > start, end == self.text.count || !Self.isNameByte(self.text[end]),
            rule.holds(self.text[start..<end])
        else { return }
        var edit = SecretEdit(range: start..<end, value: Array(self.text[start..<end]), name: "", rule: rule.id)
        edit.name = FieldName.placeholder(name)
        edit.form = .number
        self.edits.append(edit)
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
            guard self.holds(rule, range) else { return }
            self.valueEnd = range.upperBound
            self.add(range, FieldName.placeholder(name[part]), rule.id)
            return
        }
        // `Forgot your password: click here` gives none away.
        guard begin > colon + 1, let (rule, part) = self.rules.field(name, .assignment) else { return }
        let range = self.word(from: begin)
        let isLast = range.upperBound == self.text.count || self.text[range.upperBound] != ASCII.space
        guard self.holds(rule, range), isLast || ValueLook.isTokenLike(self.text[range]) else { return }
        self.valueEnd = range.upperBound
        self.add(range, FieldName.placeholder(name[part]), rule.id)
    }

    private static func endsLine(_ byte: UInt8) -> Bool {
        byte == ASCII.lineFeed || byte == ASCII.carriageReturn || byte == ASCII.quote || byte == 0x27
            || byte == ASCII.backslash
    }

    /// Credentials in the authority of a URL (RFC 3986 section 3.2.1): the password; a user alone if it looks like a token.
    private mutating func authority(at start: Int) {
        guard self.rules.isOn("url-credentials") else { return }
        var at: Int?
        var colon: Int?
        var index = start
        scan: while index < self.text.count {
            switch self.text[index] {
            case 0...0x20, ASCII.slash, ASCII.question, ASCII.hash, ASCII.quote, 0x3C, 0x3E, ASCII.backslash, 0x27,
                0x60:
                break scan
            case ASCII.at: at = index
            case ASCII.colon where colon == nil && at == nil: colon = index
            default: break
            }
            index += 1
        }
        guard let at else { return }
        if let colon, colon < at {
            self.credential((colon + 1)..<at, "password")
            if ValueLook.isTokenLike(self.text[start..<colon], atLeast: 16) { self.credential(start..<colon, "user") }
        } else if ValueLook.isTokenLike(self.text[start..<at], atLeast: 16) {
            self.credential(start..<at, "token")
        }
    }

    private mutating func credential(_ range: Range<Int>, _ name: String) {
        let decoded = DecodedText(percent: self.text, range, plusIsSpace: false)
        guard !ValueLook.isNothing(decoded.bytes) else { return }
        var edit = SecretEdit(range: range, value: decoded.bytes, name: name, rule: "url-credentials")
        if decoded.bytes.count != range.count { edit.form = .percent }
        self.edits.append(edit)
    }

    // MARK: <name>value</name>

    mutating func element(endingAt end: Int) {
        var start = end
        while start > 0, end - start < 160, self.text[start - 1] != 0x3C, self.text[start - 1] != 0x3E { start -= 1 }
        guard start > 0, self.text[start - 1] == 0x3C, start < end, self.text[start] != ASCII.slash else { return }
        var nameEnd = start
        while nameEnd < end, self.text[nameEnd] > ASCII.space, self.text[nameEnd] != ASCII.slash { nameEnd += 1 }
        guard nameEnd > start, self.text[end - 1] != ASCII.slash else { return }
        let name = self.text.slice(start..<nameEnd)
        guard let (rule, part) = self.rules.field(name, .json) else { return }
        let close = self.text.index(of: 0x3C, from: end + 1) ?? self.text.count
        guard rule.holds(self.text[(end + 1)..<close]) else { return }
        self.add((end + 1)..<close, FieldName.placeholder(name[part]), rule.id)
    }

    // MARK: Headers in a text

    /// The value of an Authorization or Cookie field that a text shows, such as one that echoes a request.
    private mutating func headerValue(_ name: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let found = HeaderLook.edits(name, self.text.slice(range), self.rules)
        self.edits += found.map { edit in
            var edit = edit
            edit.range = (edit.range.lowerBound + range.lowerBound)..<(edit.range.upperBound + range.lowerBound)
            return edit
        }
    }
}
