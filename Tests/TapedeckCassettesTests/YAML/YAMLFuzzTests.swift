import TapedeckCore
import TapedeckYAML
import TestShare
import Testing

@Suite
struct YAMLFuzzTests {
    private static let pieces: [[UInt8]] = [
        ":", ": ", "- ", "-", "\n", "\n  ", "\n    ", " ", "  ", "'", "\"", "[", "]", "{", "}", ",", ", ", "#", " # ",
        "|", ">", "|-\n", ">+\n", "|2\n", "&a ", "*a", "!t ", "? ", "<<: ", "\t", "\r\n", "---\n", "...\n", "%", "@",
        "`", "\\", "\\n", "é", "😀", "x", "key: ", "1",
    ].map { Array($0.utf8) }

    /// Parts of messages for what Yams takes and we refuse on purpose.
    private static let refusedOnPurpose = [
        "are not supported", "is not supported", "of this mapping already", "must be a plain or quoted text",
        "a key is missing before", "is not closed", "does not end a line", "a space is missing after", "only a %YAML",
        "a comment needs a space", "cannot start with '#'", "cannot be written as it is", "one digit from 1 to 9",
        "a '- ' list cannot stand inside",
        // YAML 1.2 section 8.1.1.1; libyaml reads such lines as a comment.
        "has more spaces than the first line of its text",
    ]

    /// Yams accepts `|` and `>` at the indentation of their key or `-`, where no other value is allowed.
    private static func isUnindentedBlockText(_ error: YAMLError, in text: String) -> Bool {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines[error.line - 1].first { $0 != " " }
        return first == "|" || first == ">"
    }

    /// Yams takes a `#` right behind a quoted text for a comment, which needs a space before it (YAML 1.2 section 6.6).
    private static func isCommentWithoutSpace(_ error: YAMLError, in text: String) -> Bool {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines[error.line - 1].dropFirst(error.column - 1).first == "#"
    }

    private static func mutate(_ seed: [UInt8], using generator: inout SeededRandom) -> [UInt8] {
        var text = seed
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let start = Int.random(in: 0...text.count, using: &generator)
            let end = min(text.count, start + Int.random(in: 0...6, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: text.removeSubrange(start..<end)
            case 1: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &generator))
            case 2: text.replaceSubrange(start..<end, with: Self.pieces.randomElement(using: &generator) ?? [])
            default: text.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? [], at: start)
            }
        }
        return text
    }

    @Test(arguments: seeds(8))
    func agreesWithYamsOnMutatedDocuments(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var agreed = 0
        for round in 0..<4_000 {
            let sample = YAMLSamples.accepted[round % YAMLSamples.accepted.count]
            guard let text = String(validating: Self.mutate(Array(sample.utf8), using: &generator), as: UTF8.self)
            else {
                continue
            }
            let ours = Result { () throws(YAMLError) in try YAMLTree.ours(text) }
            // To libyaml a byte order mark takes a column, so that it sees another indentation than an editor shows.
            let shown = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
            let oracle = Result { try YAMLTree.oracle(shown) }
            switch (ours, oracle) {
            case (.success(let ours), .success(let oracle)):
                agreed += 1
                // To libyaml a '?' that begins an entry in brackets is an indicator even without a space after it.
                if ours != oracle, !text.contains(/[,\[{\s]\?/), ours != nil || oracle != .scalar("", style: "plain") {
                    Issue.record("\(text.debugDescription)\nours \(ours as Any)\nYams \(oracle as Any)")
                }
            case (.failure(let error), .success(let oracle)):
                if !Self.refusedOnPurpose.contains(where: { error.message.contains($0) }),
                    oracle?.hasUnusualKey != true,
                    !Self.isUnindentedBlockText(error, in: text), !Self.isCommentWithoutSpace(error, in: text)
                {
                    Issue.record("\(text.debugDescription)\nours \(error)\nYams \(oracle as Any)")
                }
            case (.success, .failure), (.failure, .failure):
                break
            }
        }
        #expect(agreed > 500)
    }

    @Test(arguments: seeds(4))
    func survivesAnyBytes(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for round in 0..<3_000 {
            var text = Array(YAMLSamples.accepted[round % YAMLSamples.accepted.count].utf8)
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let index = Int.random(in: 0...text.count, using: &generator)
                let byte = UInt8.random(in: 0...255, using: &generator)
                if index < text.count {
                    text[index] = byte
                } else {
                    text.append(byte)
                }
            }
            Self.touchEverything(in: text)
        }
    }

    @Test(.long) func survivesEveryPrefix() {
        for text in YAMLSamples.accepted {
            let bytes = Array(text.utf8)
            for end in 0...bytes.count {
                Self.touchEverything(in: Array(bytes[..<end]))
            }
        }
    }

    /// Parses, and on success reads all there is to read: ranges out of bounds would trap.
    private static func touchEverything(in text: [UInt8]) {
        guard let root = (try? YAMLDocument(parsing: text))?.root else { return }
        var open = [root]
        while let node = open.popLast() {
            _ = (node.document.source[node.range], node.string, node.int, node.double, node.isNull, node.position)
            _ = (node.column, node.indicator)
            open += Array(node.items) + node.pairs.flatMap { [$0.key, $0.value] }
        }
    }
}
