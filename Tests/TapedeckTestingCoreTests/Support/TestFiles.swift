import Foundation

/// A folder that is there as long as this value.
final class TestFiles: Sendable {
    let path: String

    /// - Parameter files: texts by their paths in the folder.
    init(_ files: [String: String] = [:]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-files-\(UUID().uuidString)")
        self.path = folder.path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// - Returns: `nil` for a file that is not there.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(self.path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// A cassette that answers one URL with one text.
    static func cassette(_ set: String, _ url: String, _ body: String) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: \(set)
            request: { method: GET, url: "\(url)" }
            variants: [{ name: found, takes: [{ status: 200, body: { \(body) } }] }]

        """
    }
}
