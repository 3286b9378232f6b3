import TapedeckLocking

/// Files that are named after tests.
enum TestNames {
    /// The tests by their files: two that would share one are refused.
    private static let owners = Locked<[String: String]>([:])

    /// The path, without an ending, of the file of a test.
    ///
    /// - Parameters:
    ///   - test: the name of its session: suites, function, arguments.
    ///   - folder: absolute.
    /// - Throws: ``TapedeckError`` when another test has the same file.
    static func path(of test: String, in folder: String) throws(TapedeckError) -> String {
        let path = TestFileName(test).path
        let owner = self.owners.withLock { owners -> String in
            let owner = owners["\(folder)/\(path)", default: test]
            owners["\(folder)/\(path)"] = owner
            return owner
        }
        guard owner == test else {
            throw TapedeckError(
                .badOptions,
                "the tests \"\(owner)\" and \"\(test)\" would share the cassette \(path).yaml; name the cassette of one of them"
            )
        }
        return path
    }
}

/// The name of a test as a path that is the same on every machine, and no other test's, on a disk that ignores case too.
///
/// | test | path |
/// |---|---|
/// | `LoginTests/saysHello()` | `login-tests/says-hello` |
/// | `LoginTests/saysHello(_:) [ada]` | `login-tests/says-hello.ada` |
/// | `LoginTests/saysHello(name:) [Ada]` | `login-tests/says-hello.name.ada-` and 8 digits |
/// | `LoginTests.testOffline` (XCTest) | `login-tests/test-offline` |
///
/// A part whose words can be read back from it stands for itself. Any other part loses something, such as the case of an
/// argument's letters, and ends in a digest of the whole name.
package struct TestFileName {
    /// Relative, without an ending.
    package let path: String

    /// A part of a path, and whether no other text has the same one.
    private struct Part {
        var text: String
        var isExact: Bool
    }

    /// The length of a part without its digest, in bytes: file systems take 255 in all.
    private static let limit = 120

    /// - Parameter test: suites and function with slashes between them, then arguments in brackets.
    package init(_ test: String) {
        let parts = Self.components(of: test)
        let digest = Self.digest(test)
        let names = parts.enumerated().map { index, component -> String in
            let isLast = index == parts.count - 1
            var part = isLast ? Self.function(component) : Self.identifier(component, startsUpper: true)
            if part.text.utf8.count > Self.limit {
                part.text = String(part.text.prefix(Self.limit))
                part.isExact = false
            }
            guard !part.isExact else { return part.text }
            // Of a suite only its own name counts: all of its tests are in one folder.
            let digest = isLast ? digest : Self.digest(component)
            return part.text.isEmpty ? digest : "\(part.text)-\(digest)"
        }
        self.path = names.isEmpty ? digest : names.joined(separator: "/")
    }

    /// The parts of a name. Slashes in arguments are no separators, the dot between class and method of XCTest is one, and
    /// so is what comes before the function of a block: `Module/File.swift function()`.
    private static func components(of test: String) -> [String] {
        let end = test.firstIndex(of: "[") ?? test.endIndex
        var parts = test[..<end].split(separator: "/").map(String.init)
        guard let last = parts.popLast() else { return end == test.endIndex ? [] : [String(test[end...])] }
        let arguments = test[end...]
        if let space = last.firstRange(of: ".swift ") {
            parts.append(String(last[..<space.lowerBound]))
            parts.append(String(last[space.upperBound...] + arguments))
        } else if let dot = last.firstIndex(of: "."), last.firstIndex(of: "(") == nil {
            parts.append(String(last[..<dot]))
            parts.append(String(last[last.index(after: dot)...] + arguments))
        } else {
            parts.append(last + arguments)
        }
        return parts
    }

    /// `name(label:_:) [arguments]`; labels and arguments may be missing.
    private static func function(_ text: String) -> Part {
        let open = text.firstIndex(of: "[") ?? text.endIndex
        var call = String(text[..<open])
        while call.last == " " { call.removeLast() }
        var part: Part
        if call.last == ")", let parenthesis = call.firstIndex(of: "(") {
            part = self.identifier(String(call[..<parenthesis]), startsUpper: false)
            let labels = call[call.index(after: parenthesis)...].dropLast().split(separator: ":")
            for label in labels where label != "_" {
                part = self.joined(part, self.identifier(String(label), startsUpper: false))
            }
            // A test has arguments if, and only if, its function has parameters.
            part.isExact = part.isExact && labels.isEmpty == (open == text.endIndex)
        } else {
            part = self.identifier(call, startsUpper: false)
            // Only functions have arguments.
            part.isExact = part.isExact && open == text.endIndex
        }
        guard open < text.endIndex else { return part }
        let arguments = text[text.index(after: open)...]
        let value = arguments.last == "]" ? arguments.dropLast() : arguments
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { self.isDigit($0) || self.isLower($0) }
        return self.joined(part, Part(text: self.words(of: String(value)), isExact: isPlain))
    }

    private static func joined(_ first: Part, _ second: Part) -> Part {
        let texts = [first.text, second.text].filter { !$0.isEmpty }
        return Part(text: texts.joined(separator: "."), isExact: first.isExact && second.isExact)
    }

    /// An identifier in camel case without runs of capitals can be read back from its words.
    private static func identifier(_ text: String, startsUpper: Bool) -> Part {
        var isExact = !text.isEmpty
        var previous: UInt8?
        for byte in text.utf8 {
            let fits =
                if let before = previous {
                    self.isLower(byte) || self.isDigit(byte) || self.isUpper(byte) && !self.isUpper(before)
                } else {
                    startsUpper ? self.isUpper(byte) : self.isLower(byte)
                }
            isExact = isExact && fits
            previous = byte
        }
        return Part(text: self.words(of: text), isExact: isExact)
    }

    /// The words of a text in lower case with `-` between them. Only ASCII letters and digits stay: file systems differ in
    /// their treatment of others.
    private static func words(of text: String) -> String {
        var words: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            let isWord = self.isLower(byte) || self.isUpper(byte) || self.isDigit(byte)
            let begins = self.isUpper(byte) && (self.isLower(previous) || self.isDigit(previous))
            if begins || !isWord, let last = words.last, last != UInt8(ascii: "-") { words.append(UInt8(ascii: "-")) }
            if isWord { words.append(self.isUpper(byte) ? byte | 0x20 : byte) }
            previous = byte
        }
        while words.last == UInt8(ascii: "-") { words.removeLast() }
        return String(decoding: words, as: UTF8.self)
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Eight hexadecimal digits of FNV-1a, 64 bits, folded to 32.
    package static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension TapedeckOptions {
    /// Puts names in the place of those that follow from the test's.
    mutating func nameCassettes(after test: String) throws(TapedeckError) {
        let folder = CassettePath.folder(self.folder, of: self.place?.filePath ?? "")
        for (index, cassette) in self.cassettes.enumerated() {
            guard case .namedAfterTest = cassette else { continue }
            self.cassettes[index] = .named(try TestNames.path(of: test, in: folder))
        }
    }
}

extension CassetteReference {
    /// True if `TAPEDECK_MODE` records into it: what is built in Swift is for the test to say.
    var isRecordedByEnvironment: Bool {
        switch self {
        case .named, .url, .namedAfterTest, .stored: true
        case .inMemory, .files: false
        }
    }
}
