public import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckJSON
import TapedeckYAML

/// The cassettes of a session, as sent to the deck.
struct CassetteResolution {
    /// As the deck shall look them up.
    var names: [String] = []
    /// The files to send.
    var files: [String: SessionFile] = [:]
    /// The paths of files by their cassettes' names, below the working folder if they are there.
    var paths: [String: String] = [:]
    /// Cassettes that are not there; the first of them may be recorded.
    var missing: [String] = []
    /// The place of recording of a cassette that has no file.
    var scratch: RecordingScratch?
    private let folder: String
    /// That of the sources, where `folder` is of a bundle.
    private let sources: String
    private let deck: RunningDeck
    private let isRecording: Bool

    /// - Parameters:
    ///   - folder: absolute.
    ///   - sources: where its files are edited; another one if `folder` is of a bundle.
    ///   - isRecording: whether the first cassette is written, so that it need not be there.
    /// - Throws: ``TapedeckError``; files that cannot be read.
    init(
        _ references: [CassetteReference],
        folder: String,
        sources: String,
        deck: RunningDeck,
        isRecording: Bool
    ) throws {
        self.folder = folder
        self.sources = sources
        self.deck = deck
        self.isRecording = isRecording
        for reference in references {
            let isRecorded = isRecording && self.names.isEmpty
            switch reference {
            case .named(let name): try self.add(named: name)
            case .url(let url): try self.add(named: url.path)
            // Replaced by a name before the session is opened.
            case .namedAfterTest: break
            case .inMemory(let cassette, let name):
                let file = self.freeName(name)
                let text = cassette.yaml
                if isRecorded {
                    try self.record(file, files: ["\(file).yaml": Data(text.utf8)], store: nil)
                } else {
                    try self.send("\(file).yaml", .text(text))
                    self.names.append("\(file).yaml")
                }
            case .files(let files):
                if isRecorded { try self.record(files) } else { try self.add(files) }
            case .stored(let name, let store):
                let files = try store.files(of: name)
                if isRecorded {
                    try self.record(name, files: files, store: store)
                } else if files.isEmpty {
                    self.missing.append("\(name) in \(type(of: store))")
                } else {
                    for (path, data) in files { try self.send(path, Self.sendable(data)) }
                    self.names.append("\(name).yaml")
                }
            }
        }
    }

    /// A name that no other cassette has.
    private func freeName(_ given: String?) -> String {
        let base = given.map { Self.withoutEnding($0) } ?? "cassette"
        guard given == nil, self.files["\(base).yaml"] != nil else { return base }
        let number = (2...).first { self.files["\(base)-\($0).yaml"] == nil } ?? 0
        return "\(base)-\(number)"
    }

    private static func withoutEnding(_ name: String) -> String {
        self.hasEnding(name) ? String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) : name
    }

    // MARK: Recording what is no file

    private mutating func record(_ files: [String: String]) throws {
        let cassettes = files.keys.filter { !$0.contains("/") && Self.hasEnding($0) }
        guard let name = cassettes.first, cassettes.count == 1 else {
            throw TapedeckError(
                .badOptions,
                "a recording goes into one cassette, and \(files.keys.sorted().joined(separator: ", ")) are \(cassettes.count)"
            )
        }
        try self.record(Self.withoutEnding(name), files: files.mapValues { Data($0.utf8) }, store: nil)
    }

    private mutating func record(_ name: String, files: [String: Data], store: (any CassetteStore)?) throws {
        guard self.deck.takesPaths else {
            throw TapedeckError(
                .badOptions,
                "the deck at \(self.deck.control.url) has a disk of its own and cannot record into memory or a store; record with "
                    + "the deck of the test process or a child process of it"
            )
        }
        let scratch = try RecordingScratch(name, files: files, store: store)
        self.scratch = scratch
        self.names.append(scratch.path)
    }

    // MARK: Sending

    private mutating func add(_ files: [String: String]) throws {
        for (path, text) in files {
            try self.send(path, .text(text))
        }
        let cassettes = files.filter { path, text in
            !path.contains("/") && Self.hasEnding(path) && Self.isCassette(text)
        }
        // A session without cassettes would answer nothing, without an error.
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

    /// Recognises cassettes as the deck does, even invalid ones, so that their errors are reported.
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
        let source = CassettePath(name, folder: self.sources)
        self.paths[path.name] = (source.existing == nil ? path : source).shown
        let mayBeMissing = self.isRecording && self.names.isEmpty
        if self.deck.takesPaths {
            if !isThere, !mayBeMissing { self.missing.append(path.file) }
            self.names.append(path.existing ?? path.file)
            return
        }
        // A deck elsewhere cannot read the test's disk, so cassettes to play are sent to it. Cassettes to record, and
        // missing ones, must be its own.
        if mayBeMissing {
            guard !name.hasPrefix("/") else {
                throw TapedeckError(
                    .badOptions,
                    "the deck at \(self.deck.control.url) has a disk of its own and cannot write \(path.file); record with "
                        + "the deck of the test process (`.deck(.inProcess)`, or no TAPEDECK_URL), or into a cassette of its "
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
        String(utf8: data).map(SessionFile.text) ?? .base64(data.base64EncodedString())
    }

    /// The body files that a cassette names, by their paths in its folder. The deck reports missing files, paths
    /// outside the folder and unreadable cassettes, because it knows the line.
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

/// A cassette for a session.
public enum CassetteReference: Sendable, ExpressibleByStringLiteral {
    /// A file: a name such as `github` for `github.yaml`, or a path, in the folder of the options or absolute.
    case named(String)
    /// A file, such as one of a bundle: `.url(Bundle.module.url(forResource: "github", withExtension: "yaml")!)`. Its body
    /// files are in the folder beside it.
    case url(URL)
    /// A file that is named after the test case, in the folder of the options. Its suites are folders, and the arguments of
    /// a case are part of the name: `login-tests/says-hello.ada.yaml` for the case `ada` of `LoginTests/saysHello(_:)`. A name
    /// that loses something that way, such as capitals of an argument, ends in a digest.
    case namedAfterTest
    /// One that is built in Swift. To play it no disk is touched; a recording of it goes to
    /// `Tapedeck.finishRecording()`. Without a name it is called `cassette`, the second one `cassette-2` and so on.
    case inMemory(Cassette, name: String? = nil)
    /// Files by their path, such as `login.yaml` and the body file `login/photo.png`. To play them no disk is touched. Every
    /// file in no folder that is a cassette is played, and one at least has to be there.
    case files([String: String])
    /// One of a store of one's own.
    case stored(String, in: any CassetteStore)

    public init(stringLiteral name: String) {
        self = .named(name)
    }

    package var isNamedAfterTest: Bool { if case .namedAfterTest = self { true } else { false } }

    /// The name of a file; `nil` for a cassette in memory.
    var name: String? {
        switch self {
        case .named(let name): name
        case .url(let url): url.path
        case .namedAfterTest, .inMemory, .files, .stored: nil
        }
    }
}
