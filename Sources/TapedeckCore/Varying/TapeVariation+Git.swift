/// Requests of git: a commit has the time at which it was made, and so another id in each run.
extension VariationSearch {
    func isSameGitRequest(_ wanted: [UInt8], _ live: [UInt8], _ comparison: inout VaryingComparison) -> Bool {
        guard let one = GitRequest(wanted), let other = GitRequest(live), one.lines.count == other.lines.count,
            one.objects.count == other.objects.count
        else { return false }
        let commits = one.objects.count { $0.kind == .commit }
        return zip(one.lines, other.lines).allSatisfy { self.areSameLines($0, $1, &comparison) }
            && zip(one.objects, other.objects).allSatisfy { one, other in
                guard one.kind == other.kind, one.base == other.base else { return false }
                guard one.kind == .commit || one.kind == .tag else { return one.content == other.content }
                return self.areSame(one.content, other.content, mayHaveNewParent: commits > 1, &comparison)
            }
    }

    /// Compares `want ID`, `have ID` and `OLD NEW REF`. The version of git may be another one.
    private func areSameLines(
        _ recorded: GitLines.Line,
        _ live: GitLines.Line,
        _ comparison: inout VaryingComparison
    ) -> Bool {
        if recorded == live { return true }
        guard let one = recorded.text, let other = live.text else { return false }
        let words = [one, other].map { line in
            line.split { [ASCII.space, 0, ASCII.lineFeed].contains($0) }.filter { word in
                !["agent=", "session-id="].contains { word.starts(with: $0.utf8) }
            }
        }
        guard words[0].count == words[1].count else { return false }
        let isCommand = words[0].count > 2 && [words[0][0], words[0][1]].allSatisfy(Self.isID)
        let isHave = words[0].first?.elementsEqual("have".utf8) ?? false
        let isSame = zip(words[0], words[1]).enumerated().allSatisfy { number, pair in
            self.isSameID(pair.0, pair.1, mayBeNew: number == 1 && (isCommand || isHave), at: "git id", &comparison)
        }
        // With another version alone nothing else is noted.
        if isSame { comparison.note("git") }
        return isSame
    }

    /// Compares commits and tags (gitformat-pack): the time of a commit may be that of each run, in the zone of each.
    private func areSame(
        _ one: [UInt8],
        _ other: [UInt8],
        mayHaveNewParent: Bool,
        _ comparison: inout VaryingComparison
    ) -> Bool {
        let lines = [one, other].map { $0.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false) }
        let ends = lines.map { $0.firstIndex(of: []) ?? $0.count }
        let fields = [Self.fields(lines[0][..<ends[0]]), Self.fields(lines[1][..<ends[1]])]
        guard fields[0].count == fields[1].count else { return false }
        let headsAgree = zip(fields[0], fields[1]).allSatisfy { one, other in
            guard one.name == other.name else { return false }
            switch one.name {
            case "author", "committer", "tagger":
                let signatures = [one.value, other.value].map(Self.withoutZone)
                return comparison.isSame(signatures[0], signatures[1], at: "git \(one.name)")
            case "parent", "object":
                return self.isSameID(
                    one.value[...],
                    other.value[...],
                    mayBeNew: one.name == "object" || mayHaveNewParent,
                    at: "git \(one.name)",
                    &comparison
                )
            default: return one.value == other.value
            }
        }
        let messages = zip(lines, ends).map { lines, end in
            ByteText.string(from: Array(lines[end...].joined(separator: [ASCII.lineFeed])))
        }
        return headsAgree && comparison.isSame(messages[0], messages[1], at: "git message")
    }

    /// The fields without signatures, which follow from the rest.
    private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [(name: String, value: [UInt8])] {
        var fields: [(name: String, value: [UInt8])] = []
        for line in lines {
            if line.first == ASCII.space, !fields.isEmpty {
                fields[fields.count - 1].value += line
                continue
            }
            let end = line.firstIndex(of: ASCII.space) ?? line.endIndex
            fields.append((ByteText.string(from: line[..<end]), Array(line[end...].dropFirst())))
        }
        return fields.filter { !$0.name.hasPrefix("gpgsig") }
    }

    private static func withoutZone(_ signature: [UInt8]) -> String {
        let end = signature.lastIndex(of: ASCII.space) ?? signature.endIndex
        return ByteText.string(from: signature[..<end])
    }

    private static func isID(_ word: ArraySlice<UInt8>) -> Bool {
        [40, 64].contains(word.count) && word.allSatisfy { ASCII.hexValue($0) != nil }
    }

    /// - Parameter mayBeNew: true for the id of a commit that the client has made.
    private func isSameID(
        _ one: ArraySlice<UInt8>,
        _ other: ArraySlice<UInt8>,
        mayBeNew: Bool,
        at place: String,
        _ comparison: inout VaryingComparison
    ) -> Bool {
        if one == other { return true }
        guard Self.isID(one), Self.isID(other), one.count == other.count else { return false }
        if mayBeNew { return comparison.pair(one, other, at: place) }
        return comparison.isSame(ByteText.string(from: one), ByteText.string(from: other), at: place)
    }
}
