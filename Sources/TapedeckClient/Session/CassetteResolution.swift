import Foundation
import TapedeckControlClient
import TapedeckControlModel

/// What the deck is told about the cassettes of a session.
struct CassetteResolution {
    /// As the deck shall look them up.
    var names: [String] = []
    /// What is sent along.
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
            case .inMemory(let cassette, let name): try self.add(name, ["\(name).yaml": cassette.yaml])
            case .files(let files): try self.add(nil, files)
            }
        }
    }

    /// - Parameter name: of the one cassette among them; without, all that are cassettes are played.
    private mutating func add(_ name: String?, _ files: [String: String]) throws {
        for (path, text) in files {
            try self.send(path, .text(text))
        }
        if let name {
            self.names.append(name)
        } else {
            let roots = files.keys.filter { !$0.contains("/") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
            self.names += roots.sorted()
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
            self.names.append(name)
        } else if let file = path.existing {
            try self.send("\(path.name).yaml", try Self.read(file))
            for (relative, body) in try Self.bodyFiles(of: file) { try self.send("\(path.name)/\(relative)", body) }
            self.names.append(path.name)
        } else if try self.deck.control.cassettes().contains(where: { $0.name == name }) {
            self.names.append(name)
        } else {
            self.missing.append(path.file)
        }
    }

    private static func read(_ path: String) throws -> SessionFile {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return String(data: data, encoding: .utf8).map(SessionFile.text) ?? .base64(data.base64EncodedString())
    }

    /// What is in the folder beside a cassette, by its path in there.
    private static func bodyFiles(of file: String) throws -> [(path: String, file: SessionFile)] {
        let folder = String(file[..<(file.lastIndex(of: ".") ?? file.endIndex)])
        guard let paths = FileManager.default.subpaths(atPath: folder) else { return [] }
        return try paths.sorted().compactMap { path in
            let whole = "\(folder)/\(path)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue else {
                return nil
            }
            return (path, try self.read(whole))
        }
    }
}

/// Where a cassette of a name is, or would be.
package struct CassettePath {
    /// Its file's name without an ending.
    package let name: String
    /// Absolute.
    package let file: String

    private let candidates: [String]

    /// - Parameter folder: absolute; what the name is relative to.
    package init(_ name: String, folder: String) {
        let whole = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        let hasEnding = whole.hasSuffix(".yaml") || whole.hasSuffix(".yml")
        self.candidates = hasEnding ? [whole] : ["\(whole).yaml", "\(whole).yml"]
        self.file = hasEnding ? whole : "\(whole).yaml"
        let last = whole.split(separator: "/").last.map(String.init) ?? whole
        self.name = hasEnding ? String(last[..<(last.lastIndex(of: ".") ?? last.endIndex)]) : last
    }

    /// The file, if there is one.
    package var existing: String? { self.candidates.first { FileManager.default.fileExists(atPath: $0) } }

    /// The folder that options mean.
    ///
    /// - Parameter filePath: of the test's file.
    package static func folder(_ folder: String?, of filePath: String) -> String {
        let own = String(filePath[..<(filePath.lastIndex(of: "/") ?? filePath.startIndex)])
        guard let folder else { return own }
        return folder.hasPrefix("/") ? folder : "\(own)/\(folder)"
    }
}
