import TapedeckLocking

/// Files that are named after tests.
enum TestNames {
    /// Which test has a file of a name. Two that would share one had better know.
    private static let owners = Locked<[String: String]>([:])

    /// The path, without an ending, of the file of a test.
    ///
    /// - Parameters:
    ///   - test: the name of its session: suites, function, arguments.
    ///   - folder: absolute.
    /// - Throws: ``TapedeckError`` when another test has the same file.
    static func path(of test: String, in folder: String) throws(TapedeckError) -> String {
        let parts = test.split(separator: "/").map { self.plain($0) }.filter { !$0.isEmpty }
        let path = parts.isEmpty ? "test" : parts.joined(separator: "/")
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

    /// A part of a path: letters, digits, `_` and `.` stay, all else becomes `-`.
    private static func plain(_ text: Substring) -> String {
        let withoutCall = text.replacing("()", with: "")
        let words = withoutCall.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        let name = words.joined(separator: "-")
        return name.first == "." ? "_\(name)" : name
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
    /// True if `TAPEDECK_MODE=record` records into it: what is built in Swift is for the test to say.
    var isRecordedByEnvironment: Bool {
        switch self {
        case .named, .url, .namedAfterTest, .stored: true
        case .inMemory, .files: false
        }
    }
}
