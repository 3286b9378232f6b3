import Foundation

/// A folder of a test's own; goes when the test does.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appending(path: "tapedeck-sessions-tests-\(UUID())").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
