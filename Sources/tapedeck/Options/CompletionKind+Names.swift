import ArgumentParser
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckCore
import TapedeckDeck
import TapedeckMaintenance

/// Names that a shell completes beside commands and options. Nothing is completed where a cassette has errors or no deck runs.
extension CompletionKind {
    /// Names of cassettes.
    static var cassettes: CompletionKind { .names { $0.cassettes } }

    /// Names of the response sets of the cassettes on the line.
    static var sets: CompletionKind { .names { $0.sets.map(\.name) } }

    /// Names of the variants of the response set on the line.
    static var variants: CompletionKind { .names { $0.variants } }

    /// `SET=VARIANT` of the cassettes on the line.
    static var selections: CompletionKind {
        .names { line in
            line.sets.flatMap { set in
                (set.variants.map(\.name) + BuiltInVariant.allCases.map(\.rawValue)).map { "\(set.name)=\($0)" }
            }
        }
    }

    /// Names of the profiles of the cassettes on the line.
    static var profiles: CompletionKind {
        .names { $0.named.flatMap(\.profiles).map(\.name) + BuiltInVariant.allCases.map(\.rawValue) }
    }

    /// Ids of the sessions of the deck that runs here.
    static var sessions: CompletionKind { .names { _ in CompletedLine.sessions?.map(\.id) ?? [] } }

    /// Names of the response sets of the running session.
    static var playingSets: CompletionKind { .names { _ in CompletedLine.playing?.map(\.name) ?? [] } }

    /// `SET=VARIANT` of the running session.
    static var playingSelections: CompletionKind {
        .names { _ in
            CompletedLine.playing?.flatMap { set in set.variants.map { "\(set.name)=\($0.name)" } } ?? []
        }
    }

    private static func names(_ names: @escaping @Sendable (CompletedLine) -> [String]) -> CompletionKind {
        .custom { words, _, _ in names(CompletedLine(words)).map(Self.forShell) }
    }

    /// A name as the script of the shell takes it: names are of recorded requests and of other people's cassettes.
    private static func forShell(_ name: String) -> String {
        switch CompletionShell.requesting {
        // `compgen -W` expands each word: within quotes, none of it.
        case .bash?: ShellWord.inQuotes(name)
        // A colon would begin the description.
        case .zsh?: name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        default: name
        }
    }
}

/// A command line that a shell completes.
private struct CompletedLine {
    private let words: [String]
    private let folder: String?

    init(_ words: [String]) {
        let words = words.map(Self.withoutQuotes)
        self.words = words
        let option = words.firstIndex(of: "--cassettes").map { $0 + 1 }
        let value = option.flatMap { $0 < words.count ? words[$0] : nil }
        let joined = words.last { $0.hasPrefix("--cassettes=") }.map { String($0.dropFirst("--cassettes=".count)) }
        self.folder = joined ?? value
    }

    /// A word as it was typed, without its quotes and backslashes.
    private static func withoutQuotes(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        return result
    }

    var cassettes: [String] {
        guard let files = try? CassetteFolder.files([], folder: self.folder) else { return [] }
        let start = CassetteFolder.path(self.folder) + "/"
        return files.map { FilePath.withoutYAMLEnding($0.hasPrefix(start) ? String($0.dropFirst(start.count)) : $0) }
    }

    /// The cassettes on the line.
    var named: [Cassette] {
        self.words.dropFirst(2).filter { !$0.hasPrefix("-") }.compactMap { word in
            try? CassetteStore.onDisk.load(CassetteFolder.location(word, folder: self.folder))
        }
    }

    var sets: [ResponseSet] { self.named.flatMap(\.responseSets) }

    var variants: [String] {
        let sets = self.sets
        let named = sets.filter { set in self.words.contains(set.name) }
        return (named.isEmpty ? sets : named).flatMap { $0.variants.map(\.name) }
    }

    static var sessions: [SessionModel]? { try? self.deck?.sessions() }

    static var playing: [SetModel]? {
        let key = ProcessEnvironment.value("TAPEDECK_SESSION") ?? "default"
        return try? self.deck?.session(String(key.prefix { $0 != ":" })).sets(search: nil)
    }

    /// The deck that a command without options controls.
    private static var deck: ControlClient? {
        try? ControlClient(
            url: ProcessEnvironment.value("TAPEDECK_URL") ?? "http://127.0.0.1:4748",
            token: DeckToken.given(file: ProcessEnvironment.value("TAPEDECK_TOKEN_FILE"))?.value
        )
    }
}
