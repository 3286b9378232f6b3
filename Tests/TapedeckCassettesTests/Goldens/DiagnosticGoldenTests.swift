import Foundation
import TapedeckCassettes
import Testing

/// All that is said about the mistakes in the files of `Diagnostics`, as it is in `diagnostics.txt`.
///
/// `TAPEDECK_WRITE_GOLDENS=1 swift test --filter DiagnosticGoldenTests` writes that file anew.
@Suite
struct DiagnosticGoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let golden = Self.folder.appending(path: "diagnostics.txt")

    @Test func everyMistakeIsToldAsBefore() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "Diagnostics").path()
        )
        let found = files.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".json") }.sorted().map(Self.lines)
        if ProcessInfo.processInfo.environment["TAPEDECK_WRITE_GOLDENS"] != nil {
            try found.joined().write(to: Self.golden, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n")
        let now = found.joined().split(separator: "\n")
        #expect(now.difference(from: expected).map { "\($0)" } == [])
    }

    private static func lines(of name: String) -> String {
        let path = self.folder.appending(path: "Diagnostics/\(name)").path()
        let lines = name.hasSuffix(".json") ? Self.problems(ofJSON: path) : Self.problems(ofYAML: path)
        // Messages may hold the folder's path, or line ends.
        let texts = lines.map { $0.replacing(self.folder.path(), with: "").replacing("\n", with: "\\n") }
        return texts.map { "\(name): \($0)\n" }.joined()
    }

    private static func problems(ofYAML path: String) -> [String] {
        do {
            if path.hasSuffix(".project.yaml") {
                _ = try ProjectFile.file(path).load()
                return []
            }
            let read = CassetteReader.read(try FileContents.read(path), name: "test", path: path)
            return read.diagnostics.map { "\($0.line ?? 0):\($0.column ?? 0): \($0.severity): \($0.message)" }
        } catch let error as CassetteError {
            return error.diagnostics.map { "\($0.line ?? 0):\($0.column ?? 0): \($0.severity): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    private static func problems(ofJSON path: String) -> [String] {
        guard let source = try? FileContents.read(path) else { return ["unreadable"] }
        let files = SessionFiles(lookingUp: [:])
        switch CassetteJSON.responseSet(source, name: path.hasSuffix("no-name.json") ? nil : "a", files: files) {
        case .success: return []
        case .failure(let invalid): return invalid.problems.map { "\($0.pointer): \($0.message)" }
        }
    }
}
