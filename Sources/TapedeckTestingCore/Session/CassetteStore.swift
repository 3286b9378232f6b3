public import Foundation
import TapedeckLocking

/// A place for cassettes that are not files of the tests: a database, an archive, memory.
///
/// ```swift
/// @Test(.cassette(.stored("login", in: archive)))
/// ```
///
/// A cassette is its file, `NAME.yaml`, and the body files that it names, `NAME/photo.png`.
public protocol CassetteStore: Sendable {
    /// Returns the files of a cassette by their paths; none where there is no such cassette. Called on a thread that may
    /// block.
    func files(of cassette: String) throws -> [String: Data]

    /// Keeps the files of a cassette that was recorded, in place of those it had. Called on a thread that may block.
    func save(_ files: [String: Data], of cassette: String) throws
}

/// Cassettes in memory that can be recorded into, and read back.
///
/// ```swift
/// let tapes = MemoryCassettes()
/// try await withTapedeck(.cassette(.stored("login", in: tapes)).mode(.all)) { deck in … }
/// #expect(tapes["login"]?.yaml.contains("status: 200") == true)
/// try await withTapedeck(.stored("login", in: tapes)) { deck in … }
/// ```
public final class MemoryCassettes: CassetteStore {
    private let kept: Locked<[String: [String: Data]]>

    /// - Parameter cassettes: by their names.
    public init(_ cassettes: [String: Cassette] = [:]) {
        self.kept = Locked(
            Dictionary(uniqueKeysWithValues: cassettes.map { ($0.key, ["\($0.key).yaml": Data($0.value.yaml.utf8)]) })
        )
    }

    /// The cassette of a name; `nil` where there is none.
    public subscript(name: String) -> Cassette? {
        self.kept.withLock { $0[name]?["\(name).yaml"] }.map { Cassette(yaml: String(decoding: $0, as: UTF8.self)) }
    }

    public func files(of cassette: String) -> [String: Data] {
        self.kept.withLock { $0[cassette] ?? [:] }
    }

    public func save(_ files: [String: Data], of cassette: String) {
        self.kept.withLock { $0[cassette] = files }
    }
}

/// A folder that a cassette of no file is recorded in, on its way to its store. It goes with this value.
final class RecordingScratch: Sendable {
    /// The cassette's name, and its file in the folder.
    let name: String
    let path: String
    private let folder: URL
    private let store: (any CassetteStore)?
    /// The files that the store has.
    private let kept: Locked<[String: Data]>

    /// - Parameters:
    ///   - files: of the cassette as it is before.
    ///   - store: where it goes; `nil` only hands it to the test.
    /// - Throws: what the file system says.
    init(_ name: String, files: [String: Data], store: (any CassetteStore)?) throws {
        self.name = name
        self.store = store
        self.kept = Locked(files)
        self.folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-recording-\(UUID().uuidString)")
        self.path = self.folder.appending(path: "\(name).yaml").path
        for (file, data) in files {
            let url = self.folder.appending(path: file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url)
        }
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit {
        self.remove()
    }

    /// Removes the folder, once nothing is recorded any more.
    func remove() {
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// The files of the cassette as it is now.
    var files: [String: Data] { Self.files(of: self.path) }

    /// Hands a recording that was saved to the store, unless it has these files already. Returns them.
    @discardableResult
    func keep() throws -> [String: Data] {
        let files = self.files
        guard !files.isEmpty, self.kept.withLock({ $0 != files }) else { return files }
        try self.store?.save(files, of: self.name)
        self.kept.withLock { $0 = files }
        return files
    }

    /// The files of the cassette at a path, by their paths beside it.
    static func files(of path: String) -> [String: Data] {
        let url = URL(fileURLWithPath: path)
        guard let cassette = try? Data(contentsOf: url) else { return [:] }
        var files = [url.lastPathComponent: cassette]
        let bodies = url.deletingPathExtension()
        for file in (try? FileManager.default.subpathsOfDirectory(atPath: bodies.path)) ?? [] {
            let content = bodies.appending(path: file)
            guard !content.hasDirectoryPath, let data = FileManager.default.contents(atPath: content.path) else {
                continue
            }
            files["\(bodies.lastPathComponent)/\(file)"] = data
        }
        return files
    }
}
