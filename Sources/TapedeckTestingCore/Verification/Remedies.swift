import Foundation
import TapedeckJSON

/// How a test gets what its tape lacks, in the words of its failures.
extension TapedeckOptions {
    /// - Parameter path: of the cassette that is missing.
    func missingCassette(_ path: String, isCI: Bool) -> TapedeckError {
        let other = path.hasSuffix(".yaml") ? String(path.dropLast(5)) : path
        // A folder of that name has body files of the cassette that is gone.
        let remedy: String
        if Self.isFile(other) {
            remedy = "\(other) is a file of another tool: tapedeck import makes a cassette of it"
        } else if isCI {
            remedy = "record it on your own machine and commit it"
        } else if self.mode == .replay {
            remedy = "record it in the mode .once, or leave the mode to TAPEDECK_MODE"
        } else if self.cassettes.count == 1 {
            remedy = "record it by running the test with TAPEDECK_MODE=once"
        } else {
            remedy = "check its name, or record it on its own"
        }
        if self.bundle != nil {
            return TapedeckError(
                .missingCassette,
                "there is no cassette \(path) in the bundle; record it with TAPEDECK_MODE=once, which is into the sources, and build "
                    + "again"
            )
        }
        let folder = path.hasPrefix("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : nil
        let isLost = folder.map { !$0.isEmpty && !FileManager.default.fileExists(atPath: $0) } ?? false
        let place = isLost ? ", nor is there its folder" : ""
        let near = folder.flatMap { Self.nearest(to: path, in: $0) }
        let advice = near.map { "did you mean \"\($0)\"? If not, \(remedy)" } ?? remedy
        return TapedeckError(.missingCassette, "there is no cassette \(path)\(place); \(advice)")
    }

    /// The cassette of a folder whose name is most like that of a path.
    private static func nearest(to path: String, in folder: String) -> String? {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let names = files.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.map {
            CassettePath($0, folder: "").name
        }
        return Spelling.nearest(to: CassettePath(path, folder: "").name, among: names.sorted())
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private static let toHaveACassette =
        "the test plays no cassette: give it one, as in .cassette(), and record it with TAPEDECK_MODE=once"

    /// For a request that nothing on tape answers. `nil` where the mode or the kind of cassette leaves no way to record it.
    package func remedyOfMiss(_ mode: TapedeckMode, isCI: Bool) -> String? {
        guard let first = self.cassettes.first else { return Self.toHaveACassette }
        guard mode == .replay || mode == .once, first.isRecordedByEnvironment else { return nil }
        let way = self.mode == nil ? "with TAPEDECK_MODE=new" : "in the mode .new"
        return isCI
            ? "to record what is missing, run the test \(way) on your own machine"
            : "to record what is missing, run the test \(way)"
    }

    /// Returns the error of a selection, with how the cassette gets what it lacks.
    func explained(_ error: any Error, isRecording: Bool) -> TapedeckError {
        let error = TapedeckError(error)
        guard error.isOfSelection else { return error }
        if self.cassettes.isEmpty { return error.with(Self.toHaveACassette) }
        return isRecording ? error.with("what this run records is there for the next one") : error
    }
}

extension Tapedeck {
    /// Selects, or says with the deck's refusal how the cassette gets what it lacks.
    func selecting(_ select: () throws -> Void) throws {
        do { try select() } catch { throw self.options.explained(error, isRecording: self.isRecording) }
    }
}
