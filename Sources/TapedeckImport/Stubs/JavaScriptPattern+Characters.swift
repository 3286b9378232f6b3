import TapedeckCore

extension JavaScriptPattern {
    // MARK: Characters

    mutating func literal(_ scalar: Unicode.Scalar) {
        guard self.subject.isInURL else {
            self.add(StubParts.escaped(String(scalar)))
            return
        }
        if scalar == "%", self.index + 2 <= self.scalars.count {
            let digits = String(String.UnicodeScalarView(self.scalars[self.index..<(self.index + 2)]))
            if let spelling = CanonicalURLText.path("%" + digits), PercentEncoding.text("%" + digits) != nil {
                self.index += 2
                self.add("(?:\(StubParts.escaped(spelling)))")
                return
            }
        }
        // No URL has the others unencoded.
        let text = String(scalar)
        let isInURLs = scalar.isASCII && (scalar == "?" || CanonicalURLText.path(text) == text)
        let isEnd = self.ends.unicodeScalars.contains(scalar)
        self.add(isInURLs && !isEnd ? StubParts.escaped(text) : "(?:(?!))")
    }

    var ends: String { self.subject.ends }

    /// A class such as `\S`, which does not match what ends the text.
    private mutating func shorthand(_ letter: Unicode.Scalar) {
        let takesEnd = !self.ends.isEmpty && "DSW".unicodeScalars.contains(letter)
        self.add(takesEnd ? "(?:(?![\(self.ends)])\\\(letter))" : "\\\(letter)")
    }

    mutating func escape() throws(Problem) {
        guard let scalar = self.current else { throw Problem(reason: "it ends with a backslash") }
        self.index += 1
        switch scalar {
        case "d", "D", "w", "W", "s", "S": self.shorthand(scalar)
        case "b", "B": self.add("\\\(scalar)", isAtom: false)
        case "1"..."9":
            var digits = String(scalar)
            while let digit = self.current, ("0"..."9").contains(digit), digits.count < 4 {
                digits.unicodeScalars.append(digit)
                self.index += 1
            }
            guard let number = Int(digits), number <= self.groups else {
                throw Problem(reason: "it refers to a group that is not there")
            }
            // A group that took no part is empty in JavaScript.
            self.add("(?:(?(\(number))\\g{\(number)}))")
        case "k" where self.hasNames: throw Problem(reason: "it refers to a group by its name")
        default: self.literal(try self.escaped(scalar))
        }
    }

    /// The character that an escape stands for, which may be in a class.
    private mutating func escaped(_ scalar: Unicode.Scalar) throws(Problem) -> Unicode.Scalar {
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{0C}"
        case "v": return "\u{0B}"
        case "0":
            if let digit = self.current, ("0"..."9").contains(digit) { throw Problem(reason: "it has an octal escape") }
            return "\0"
        case "c":
            guard let letter = self.current, letter.isASCII, letter.properties.isAlphabetic else {
                throw Problem(reason: "it has `\\c` without a letter")
            }
            self.index += 1
            return Unicode.Scalar(UInt8(letter.value) & 31)
        case "x": return try self.hexadecimal(2) ?? "x"
        case "u":
            if self.current == "{" { throw Problem(reason: "it has `\\u{`, which needs the flag u") }
            return try self.hexadecimal(4) ?? "u"
        default: return scalar
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(Problem) -> Unicode.Scalar? {
        let digits = self.scalars[self.index...].prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCII && ASCII.hexValue(UInt8($0.value)) != nil }),
            let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
        else { return nil }
        self.index += count
        guard let scalar = Unicode.Scalar(value) else { throw Problem(reason: "it has half of a surrogate pair") }
        return scalar
    }

    // MARK: Classes

    mutating func characterClass() throws(Problem) {
        let isNegated = self.take("^")
        var text = ""
        let ends = Array(self.ends.unicodeScalars)
        var takesEnd = false
        var start: Unicode.Scalar?
        var isRange = false
        var isClosed = false
        while let scalar = self.current {
            self.index += 1
            if scalar == "]" {
                isClosed = true
                break
            }
            if scalar == "-", start != nil, !isRange, let next = self.current, next != "]" {
                isRange = true
                text += "-"
                continue
            }
            var member = scalar
            if scalar == "\\" {
                guard let letter = self.current else { break }
                self.index += 1
                if "dDwWsS".unicodeScalars.contains(letter) {
                    guard !isRange else { throw Problem(reason: "a range ends with a class") }
                    if "DWS".unicodeScalars.contains(letter) { takesEnd = true }
                    text += "\\\(letter)"
                    // A hyphen behind it is literal.
                    start = nil
                    if self.take("-") { text += "\\-" }
                    continue
                }
                member = letter == "b" ? "\u{08}" : try self.escaped(letter)
            }
            text += Self.classMember(member)
            if isRange, let first = start {
                guard first.value <= member.value else { throw Problem(reason: "a range is the wrong way round") }
                if ends.contains(where: { (first.value...member.value).contains($0.value) }) { takesEnd = true }
                (start, isRange) = (nil, false)
            } else {
                if ends.contains(member) { takesEnd = true }
                start = member
            }
        }
        guard isClosed else { throw Problem(reason: "a class is not closed") }
        guard !text.isEmpty else {
            self.add(isNegated ? (ends.isEmpty ? "[\\s\\S]" : "[^\(self.ends)]") : "(?:(?!))")
            return
        }
        guard !ends.isEmpty else {
            self.add("[\(isNegated ? "^" : "")\(text)]")
            return
        }
        if isNegated {
            self.add("[^\(text)\(self.ends)]")
        } else {
            self.add(takesEnd ? "(?:(?![\(self.ends)])[\(text)])" : "[\(text)]")
        }
    }

    private static func classMember(_ scalar: Unicode.Scalar) -> String {
        if scalar.value < 0x20 || scalar.value == 0x7F {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
        return "[]^-\\".unicodeScalars.contains(scalar) ? "\\\(scalar)" : String(scalar)
    }
}
