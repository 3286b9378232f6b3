import TapedeckCore

/// Fields whose names precede an equals sign.
extension TextScanner {
    /// The longest value in front of a command, in bytes.
    private static let longestWord = 1024

    // MARK: name=value

    mutating func equals(at index: Int) {
        guard index >= self.valueEnd else { return }
        // `href="/reset/TOKEN"`.
        if index + 2 < self.text.count, self.text[index + 2] == ASCII.slash, self.isQuote(at: index + 1) {
            self.link(from: index + 2)
        }
        var end = index
        while end > 0, index - end < 2, self.text[end - 1] == ASCII.space { end -= 1 }
        var start = end
        while start > 0, end - start < Self.longestName, Self.isNameByte(self.text[start - 1]) { start -= 1 }
        guard start < end else { return }
        let before = start > 0 ? self.text[start - 1] : ASCII.ampersand
        let name = self.text.slice(start..<end)
        let isParameter = end == index && self.separatesParameters(before, at: start - 1)
        if self.context.isForm, isParameter {
            let own = self.rules.ownForm.isEmpty ? nil : self.rules.ownForm[Array(name)]
            self.parameter(name, index + 1, .form, own, isMatrix: false)
        } else if isParameter, start > 0 {
            let own = self.rules.ownQuery.isEmpty ? nil : self.rules.ownQuery[Array(name)]
            self.parameter(name, index + 1, .query, own, isMatrix: before == ASCII.semicolon && self.context.isURL)
        } else {
            self.assignment(name, index + 1, before)
        }
    }

    private func separatesParameters(_ byte: UInt8, at index: Int) -> Bool {
        switch byte {
        case ASCII.ampersand, ASCII.question, ASCII.hash: true
        // Matrix parameters, and `&amp;` in markup.
        case ASCII.semicolon: self.context.isURL || self.text.has("&amp", at: index - 4)
        default: false
        }
    }

    private mutating func parameter(
        _ name: UnsafeRawBufferPointer,
        _ start: Int,
        _ place: FieldRule.Place,
        _ own: RedactionRules.Own?,
        isMatrix: Bool
    ) {
        let found = own == nil ? self.rules.field(name, place) : nil
        guard own != nil || found != nil else { return }
        var end = isMatrix ? self.endOfMatrixParameter(from: start) : self.endOfParameter(from: start)
        if !self.context.isURL, !self.context.isForm {
            while end > start, Self.isPunctuation(self.text[end - 1]) { end -= 1 }
        }
        let (text, isForm) = (self.text, self.context.isForm)
        if let rule = found?.rule {
            let holds = self.holds(rule, self.parameterTrust, start..<end) {
                DecodedText(percent: text, $0, plusIsSpace: isForm).bytes
            }
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
        while end < self.text.count, !self.endsParameter(self.text[end]), !self.endsLink(end) { end += 1 }
        self.parameterPlace = start..<end
        return end
    }

    /// `/m;token=X/x?y=1;api_key=Y`: a parameter of a segment ends with the segment (RFC 3986 section 3.3).
    private func endOfMatrixParameter(from start: Int) -> Int {
        let isInPath = start < self.text.index(of: ASCII.question, from: 0) ?? self.text.count
        var end = start
        while end < self.text.count, !self.endsParameter(self.text[end]), self.text[end] != ASCII.semicolon {
            if isInPath, self.text[end] == ASCII.slash || self.text[end] == ASCII.question { break }
            end += 1
        }
        return end
    }

    /// True at the end of a URL within Markdown: `[![a](URL)](URL)`, or a cell of a table.
    private func endsLink(_ index: Int) -> Bool {
        guard !self.context.isURL, !self.context.isForm else { return false }
        let byte = self.text[index]
        guard byte == 0x29 || byte == ASCII.closeBracket else { return byte == 0x7C }
        guard index + 1 < self.text.count else { return true }
        return [0x28, 0x29, ASCII.openBracket, ASCII.closeBracket].contains(self.text[index + 1])
    }

    private func endsParameter(_ byte: UInt8) -> Bool {
        if byte == ASCII.ampersand { return true }
        if self.context.isForm { return false }
        if byte == ASCII.hash || byte <= ASCII.space { return true }
        if self.context.isURL { return false }
        switch byte {
        case ASCII.quote, 0x27, 0x3C, 0x3E, 0x60, ASCII.backslash, ASCII.closeBrace, 0x80...: return true
        default: return false
        }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2E, ASCII.comma, ASCII.colon, ASCII.semicolon, 0x21, ASCII.question, 0x29, ASCII.closeBracket: true
        default: false
        }
    }

    /// `SMTP_PASSWORD=hunter2`, `AccountKey=...;`, `password="hunter2"`.
    private mutating func assignment(_ name: UnsafeRawBufferPointer, _ start: Int, _ before: UInt8) {
        let isPair = before == ASCII.semicolon
        var trust = self.trust
        switch self.context.kind {
        case .assignments, .message: break
        case .xml where before <= ASCII.space && self.isQuote(at: start): break
        case .plain, .json, .looseJSON, .graphQL, .xml:
            // Within other text only connection strings, names of environment variables and npm's
            // `//host/:_authToken=X` are data.
            let isVariable = !TextScanner.isNameByte(before) && EnvironmentName.isOne(name) && !self.isSpace(at: start)
            let isSetting = before == ASCII.colon && name[0] == 0x5F
            guard isPair || isVariable || isSetting else { return }
            trust = .data
        case .form, .html, .code, .binary: return
        }
        guard let (rule, part) = self.rules.field(name, .assignment) else { return }
        var range =
            self.context.kind == .assignments || isPair
            ? self.assigned(from: start, isPair: isPair) : self.word(from: start)
        if !self.holds(rule, trust, range) {
            // `PGPASSWORD=hunter2 psql` sets a variable for a command.
            guard EnvironmentName.isOne(name),
                let space = self.text[range].prefix(Self.longestWord).firstIndex(of: ASCII.space)
            else { return }
            range = range.lowerBound..<space
            guard self.holds(rule, trust, range) else { return }
        }
        self.valueEnd = range.upperBound
        self.add(range, FieldName.placeholder(name[part]), rule.id)
    }

    private func isQuote(at index: Int) -> Bool {
        index < self.text.count && (self.text[index] == ASCII.quote || self.text[index] == 0x27)
    }

    private func isSpace(at index: Int) -> Bool {
        index < self.text.count && self.text[index] <= ASCII.space
    }

    /// The value of an assignment, to the end of its line or, in a connection string, to the next semicolon.
    mutating func assigned(from start: Int, isPair: Bool) -> Range<Int> {
        var start = start
        while start < self.text.count, self.text[start] == ASCII.space || self.text[start] == ASCII.tab { start += 1 }
        if self.isQuote(at: start) {
            let quote = self.text[start]
            var end = start + 1
            while end < self.text.count, self.text[end] != quote, self.text[end] != ASCII.lineFeed { end += 1 }
            return (start + 1)..<end
        }
        guard !self.wordPlace.contains(start) else { return start..<self.wordPlace.upperBound }
        var end = start
        while end < self.text.count, !self.endsAssigned(end, isPair: isPair) { end += 1 }
        while end > start, self.text[end - 1] <= ASCII.space { end -= 1 }
        self.wordPlace = start..<end
        return start..<end
    }

    private func endsAssigned(_ index: Int, isPair: Bool) -> Bool {
        switch self.text[index] {
        case ASCII.lineFeed, ASCII.carriageReturn: true
        // A comment.
        case ASCII.hash: index > 0 && self.text[index - 1] == ASCII.space
        case ASCII.semicolon: isPair || self.isPair(from: index + 1)
        case ASCII.quote, 0x27, 0x3C, 0x3E, ASCII.backslash: isPair
        default: false
        }
    }

    /// Returns true if a line continues or ends as connection strings do: `;Name=value`, `;`.
    private func isPair(from start: Int) -> Bool {
        var index = start
        while index < self.text.count, index - start < 64,
            Self.isNameByte(self.text[index]) || self.text[index] == ASCII.space
        {
            index += 1
        }
        guard index < self.text.count, self.text[index] != ASCII.lineFeed else { return index == start }
        return self.text[index] == ASCII.equals
    }

    mutating func holds(_ rule: FieldRule, _ trust: FieldRule.Trust, _ range: Range<Int>) -> Bool {
        let text = self.text
        return self.holds(rule, trust, range) { Array(text[$0]) }
    }

    /// The word that begins at an index, or behind spaces or a quotation mark there.
    mutating func word(from start: Int) -> Range<Int> {
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
}

/// Names of environment variables, which no prose has: `SMTP_PASSWORD`, `PGPASSWORD`.
enum EnvironmentName {
    static func isOne(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count >= 3
            && name.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}
