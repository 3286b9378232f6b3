/// The values of the surroundings of a run: working folder, host and environment variables, by their names.
///
/// A recording notes those that occur in its requests, in `values` of the cassette. In replay each is equal to the value
/// that it has there.
package struct Surroundings: Sendable, Equatable {
    /// The name of the working folder.
    package static let folder = "folder"
    /// The name of the host's name.
    package static let host = "host"

    /// Several for a name if several recordings made the cassette.
    package var values: [String: [String]]

    package init(_ values: [String: [String]] = [:]) {
        self.values = values
    }

    /// Adds the commit that is checked out, also as people shorten it, and the branch.
    package mutating func add(commit: String?, branch: String?) {
        if let commit, [40, 64].contains(commit.utf8.count), commit.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) {
            self.values[Self.commit] = [commit]
            for (name, length) in Self.shortCommits { self.values[name] = [String(commit.prefix(length))] }
        }
        if let branch, branch.utf8.count > 2 { self.values[Self.branch] = [branch] }
    }

    package var isEmpty: Bool { self.values.isEmpty }

    /// Names of values that are looked for within texts; all others only where they are the whole value of a field.
    private static let inTexts = Set(
        [
            Self.folder, Self.host, "HOME", "PWD", "USER", "LOGNAME", "USERNAME", Self.temporaryFolder, "HOSTNAME",
            Self.commit,
            Self.branch,
        ] + Self.shortCommits.map(\.name)
    )
    private static let commit = "commit"
    private static let branch = "branch"
    /// The names of the first characters of a commit, and their numbers.
    private static let shortCommits = [(name: "commit-7", length: 7), (name: "commit-8", length: 8)]
    private static let temporaryFolder = "TMPDIR"
    /// The mark of the folder of temporary files.
    static let temporaryMark = Array("\u{E000}temp\u{E001}".utf8)

    /// Returns the values that texts contain: within them, or between quotation marks and the like, as the whole value of a
    /// field.
    package func occurring(in texts: [String]) -> Surroundings {
        let bytes = texts.map { ByteText.bytes(of: $0) }
        return Surroundings(
            Dictionary(
                uniqueKeysWithValues: self.values.compactMap { name, values in
                    let isWhole = !Self.isInTexts(name)
                    // Most are in no text at all.
                    let present = values.filter { value in
                        texts.contains { $0.containsText(value) }
                            && bytes.contains { Self.isIn($0, ByteText.bytes(of: value), isWhole: isWhole) }
                    }
                    return present.isEmpty ? nil : (name, present)
                }
            )
        )
    }

    private static func isInTexts(_ name: String) -> Bool { Self.inTexts.contains(name) || Self.isOfBuild(name) }

    private static func isIn(_ text: [UInt8], _ value: [UInt8], isWhole: Bool) -> Bool {
        guard value.count > 1 else { return false }
        return isWhole
            ? text.containsWord(value) { !"\"'=&<>?".utf8.contains($0) } : text.containsWord(value)
    }

    /// Adds the values of another run.
    package func union(_ other: Surroundings) -> Surroundings {
        Surroundings(self.values.merging(other.values) { one, more in one + more.filter { !one.contains($0) } })
    }

    /// Returns the values of the names that another run has, too. A value that one run lacks has no counterpart.
    func known(to other: Surroundings) -> Surroundings {
        Surroundings(self.values.filter { other.values[$0.key] != nil })
    }

    /// Returns true for two values of one name, the recorded one here and the live one there.
    ///
    /// - Parameter isPlace: returns true for the name of a variable after which the place is called. A number may be of
    ///   anything, so its place must be.
    func areSame(_ recorded: String, _ live: String, in other: Surroundings, isPlace: (String) -> Bool) -> Bool {
        self.values.contains { name, values in
            guard values.contains(recorded), other.values[name]?.contains(live) ?? false else { return false }
            return !recorded.allSatisfy(\.isNumber) || isPlace(name)
        }
    }

    /// Parts of the names of variables whose numbers a program writes into names and texts.
    private static let numberNames = ["BUILD", "RUN_ID", "RUN_NUMBER"]

    /// Returns true for a variable with the number of a build.
    package static func isOfBuild(_ name: String) -> Bool { self.numberNames.contains(where: name.containsText) }

    /// Returns true for words such as `ci-17` and `ci-4711` that differ only in numbers of builds: the recorded ones here, and the
    /// live ones there. A number of one digit may count anything.
    func areSameParts(_ recorded: ArraySlice<UInt8>, _ live: ArraySlice<UInt8>, in other: Surroundings) -> Bool {
        let parts = [recorded, live].map { Self.parts($0) }
        guard parts[0].count == parts[1].count else { return false }
        return zip(parts[0], parts[1]).allSatisfy { one, another in
            one.isSameText(as: another)
                || one.utf8.count > 1
                    && self.values.contains { name, values in
                        Self.isOfBuild(name) && values.contains(one) && other.values[name]?.contains(another) ?? false
                    }
        }
    }

    /// The parts of a word between hyphens and underscores.
    static func parts(_ word: ArraySlice<UInt8>) -> [String] {
        word.split(omittingEmptySubsequences: false) { "-_".utf8.contains($0) }.map { ByteText.string(from: $0) }
    }

    /// The numbers of builds.
    var buildNumbers: Set<String> { Set(self.values.filter { Self.isOfBuild($0.key) }.values.joined()) }

    /// The values that are looked for within texts, each once, the longest first.
    fileprivate var textValues: [String] {
        let values = self.values.filter { Self.inTexts.contains($0.key) }.values.joined().filter { $0.utf8.count > 1 }
        return Set(values).sorted { ($0.utf8.count, $1) > ($1.utf8.count, $0) }
    }

    /// True for a folder of temporary files.
    fileprivate func isTemporary(_ value: String) -> Bool {
        self.values[Self.temporaryFolder]?.contains(value) ?? false
    }
}

/// Puts marks in place of the surroundings that texts contain.
struct SurroundingsMask: Sendable {
    private struct Item {
        var value: [UInt8]
        /// By the kind of the value, and by its number.
        var kind: [UInt8]
        var number: [UInt8]
    }

    private let values: [String]
    private let items: [Item]

    init(_ surroundings: Surroundings) {
        self.values = surroundings.textValues
        self.items = self.values.enumerated().map { number, value in
            let kind = surroundings.isTemporary(value) ? "temp" : value.hasPrefix("/") ? "path" : "word"
            return Item(value: ByteText.bytes(of: value), kind: Self.mark(kind), number: Self.mark("\(number)"))
        }
    }

    private static func mark(_ text: String) -> [UInt8] { Array("\u{E000}\(text)\u{E001}".utf8) }

    /// Returns the text with a mark in place of each value, the longest first.
    func masked(_ text: String) -> String { self.masked(text, \.kind) }

    private func masked(_ text: String, _ mark: (Item) -> [UInt8]) -> String {
        guard !self.items.isEmpty else { return text }
        let bytes = ByteText.bytes(of: text)
        let masked = self.items.reduce(bytes) { $0.replacingWord($1.value, with: mark($1)) }
        return masked == bytes ? text : ByteText.string(from: masked)
    }

    /// The values in a text, in their order.
    func all(in text: String) -> [String] {
        self.masked(text, \.number).split(separator: "\u{E000}").compactMap { part in
            part.firstIndex(of: "\u{E001}").flatMap { Int(part[..<$0]) }.map { self.values[$0] }
        }
    }
}

/// The surroundings of a recording and of a run, as far as both have them.
struct BothSurroundings: Sendable {
    let recorded: Surroundings
    let live: Surroundings
    let all: Surroundings
    /// The values of both.
    let whole: Set<String>
    let mask: SurroundingsMask

    init(recorded: Surroundings, live: Surroundings) {
        self.recorded = recorded.known(to: live)
        self.live = live.known(to: recorded)
        self.all = self.recorded.union(self.live)
        self.whole = Set(self.all.values.values.joined())
        self.mask = SurroundingsMask(self.all)
    }
}
