import Foundation
import TestShare
import Testing

/// Completion in bash. Names are of recorded requests and of other people's cassettes, and must never run.
@Suite(.ownThreads) struct CompletionTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: 'GET localhost:18080/$(touch$IFS.ran)'
            request: { url: 'http://localhost:18080/' }
            variants:
              - { name: "it's `touch .ran`", takes: [{ status: 200 }] }
              - { name: 'a\\b', takes: [{ status: 200 }] }
          - name: other
            request: { url: 'http://localhost:18080/other' }
            variants: [{ name: one, takes: [{ status: 200 }] }]
        profiles:
          bad day: { other: one }
        """

    private static func completions(_ folder: TestFolder, _ words: [String]) throws -> [String] {
        let line = words.map { "'\($0.replacing("'", with: #"'\''"#))'" }.joined(separator: " ")
        let script = """
            source completions
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
            _tapedeck tapedeck "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let path = "\(URL(fileURLWithPath: Tapedeck.path).deletingLastPathComponent().path):/usr/bin:/bin"
        return try folder.run(["bash", "-c", script], environment: ["PATH": path]).outputText
            .split(separator: "\n").map(String.init)
    }

    @Test func `bash completes names as they are, and runs none of them`() throws {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/two words.yaml")
        try folder.write(Self.cassette, to: "cassettes/$(touch .ran).yaml")
        try folder.write(try folder.tapedeck("--generate-completion-script", "bash").outputText, to: "completions")
        #expect(
            try Set(Self.completions(folder, ["tapedeck", "show", ""])).isSuperset(of: ["two words", "$(touch .ran)"])
        )
        let sets = ["GET localhost:18080/$(touch$IFS.ran)", "other"]
        // As it is typed: with a backslash, and in quotes.
        for cassette in [#"two\ words"#, "'two words'"] {
            #expect(try Self.completions(folder, ["tapedeck", "edit", cassette, ""]) == sets)
        }
        #expect(
            try Self.completions(folder, ["tapedeck", "edit", "'two words'", "'\(sets[0])'", ""])
                == ["it's `touch .ran`", #"a\b"#]
        )
        #expect(
            try Self.completions(folder, ["tapedeck", "replay", "'two words'", "--profile", "ba"]) == ["bad day"]
        )
        #expect(!folder.exists(".ran") && !folder.exists("cassettes/.ran"))
    }
}
