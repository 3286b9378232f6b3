import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckYAML

/// The cassettes of a session, as sent to the deck.
struct CassetteResolution {
    /// As the deck shall look them up.
    var names: [String] = []
    /// The files to send.
    var files: [String: SessionFile] = [:]
    /// Cassettes that are not there; the first of them may be recorded.
    var missing: [String] = []
    private let folder: String
    private let deck: RunningDeck
    private let isRecording: Bool

    /// - Parameters:
    ///   - folder: absolute.
    ///   - isRecording: whether the first cassette is written, so that it need not be there.
    /// - Throws: ``TapedeckError``; files that cannot be read.
    init(_ references: [CassetteReference], folder: String, deck: RunningDeck, isRecording: Bool) throws {
        self.folder = folder
        self.deck = deck
        self.isRecording = isRecording
        for reference in references {
            switch reference {
            case .named(let name): try self.add(named: name)
            case .inMemory(let cassette, let name):
                let file = Self.hasEnding(name) ? name : "\(name).yaml"
                try self.send(file, .text(cassette.yaml))
                self.names.append(file)
            case .files(let files): try self.add(files)
            }
        }
    }

    private mutating func add(_ files: [String: String]) throws {
        for (path, text) in files {
            try self.send(path, .text(text))
        }
        let cassettes = files.filter { path, text in
            !path.contains("/") && Self.hasEnding(path) && Self.isCassette(text)
        }
        // A session of no cassettes would answer nothing and say nothing of it.
        guard !cassettes.isEmpty else {
            throw TapedeckError(
                .badOptions,
                "there is no cassette among the files \(files.keys.sorted().joined(separator: ", ")): one is in no folder, "
                    + "ends in .yaml and begins with `tapedeck: 1`"
            )
        }
        self.names += cassettes.keys.sorted()
    }

    private static func hasEnding(_ path: String) -> Bool {
        path.hasSuffix(".yaml") || path.hasSuffix(".yml")
    }

    /// As the deck tells cassettes from other files, however broken: their mistakes are to be seen.
    private static func isCassette(_ text: String) -> Bool {
        let key = "tapedeck:".utf8
        return text.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
            // A byte order mark comes before the first line.
            line.starts(with: key) || line.starts(with: "\u{FEFF}tapedeck:".utf8)
        }
    }

    private mutating func send(_ path: String, _ file: SessionFile) throws {
        guard self.files.updateValue(file, forKey: path) == nil else {
            throw TapedeckError(.badOptions, "two cassettes are called \(path); give them names of their own")
        }
    }

    private mutating func add(named name: String) throws {
        let path = CassettePath(name, folder: self.folder)
        let isThere = path.existing != nil
        let mayBeMissing = self.isRecording && self.names.isEmpty
        if self.deck.takesPaths {
            if !isThere, !mayBeMissing { self.missing.append(path.file) }
            self.names.append(path.existing ?? path.file)
            return
        }
        // A deck elsewhere cannot read the test's disk: it is sent what it shall play. What it shall record, and what is
        // not here, it has itself.
        if mayBeMissing {
            guard !name.hasPrefix("/") else {
                throw TapedeckError(
                    .badOptions,
                    "the deck at \(self.deck.control.url) has a disk of its own and cannot write \(path.file); record with "
                        + "the deck of the test process (`deck: .inProcess`, or no TAPEDECK_URL), or into a cassette of its "
                        + "folder, by name"
                )
            }
            self.names.append(name)
        } else if let file = path.existing {
            let cassette = try Data(contentsOf: URL(fileURLWithPath: file))
            try self.send("\(path.name).yaml", Self.sendable(cassette))
            for (name, body) in Self.bodyFiles(of: cassette, in: path.folder) where self.files[name] != body {
                try self.send(name, body)
            }
            self.names.append(path.name)
        } else if try self.deck.control.cassettes().contains(where: { $0.name == name }) {
            self.names.append(name)
        } else {
            self.missing.append(path.file)
        }
    }

    private static func sendable(_ data: Data) -> SessionFile {
        String(validating: data, as: UTF8.self).map(SessionFile.text) ?? .base64(data.base64EncodedString())
    }

    /// The body files that a cassette names, by their path beside it. What is not there, or leads elsewhere, is left to the
    /// deck to speak of, which knows the line; and so is a cassette that cannot be read.
    private static func bodyFiles(of cassette: Data, in folder: String) -> [(name: String, file: SessionFile)] {
        guard let root = try? YAMLDocument(parsing: Array(cassette)).root else { return [] }
        var names: Set<String> = []
        self.findBodyFiles(in: root, into: &names)
        return names.sorted().compactMap { name in
            let parts = name.split(separator: "/").filter { $0 != "." }
            guard !name.hasPrefix("/"), !parts.contains(".."),
                let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            else { return nil }
            return (parts.joined(separator: "/"), self.sendable(data))
        }
    }

    private static func findBodyFiles(in node: YAMLNode, into names: inout Set<String>) {
        switch node.kind {
        case .mapping:
            for (key, value) in node.pairs {
                if key.scalarEquals("body"), value.kind == .mapping {
                    for file in [value["file"], value["encoded"]].compactMap(\.self) where file.kind == .scalar {
                        names.insert(file.string)
                    }
                }
                self.findBodyFiles(in: value, into: &names)
            }
        case .sequence:
            for item in node.items { self.findBodyFiles(in: item, into: &names) }
        default: break
        }
    }
}

/// Which cassette a session plays.
public enum CassetteReference: Sendable, ExpressibleByStringLiteral {
    /// A file: a name such as `github` for `github.yaml`, or a path, in the folder of the options or absolute.
    case named(String)
    /// One that is built in Swift. No disk is touched.
    case inMemory(Cassette, name: String = "cassette")
    /// Files by their path, such as `login.yaml` and the body file `login/photo.png`. No disk is touched. Every file
    /// in no folder that is a cassette is played, and one at least has to be there.
    case files([String: String])

    public init(stringLiteral name: String) {
        self = .named(name)
    }

    /// Of a file; `nil` for what is in memory.
    var name: String? {
        if case .named(let name) = self { name } else { nil }
    }
}
