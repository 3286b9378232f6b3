import Foundation
import TestShare
import Testing

/// Promise 5: memory does not grow with the size of a body that passes through.
///
/// 64 MiB in the usual run; 1 GiB with `TAPEDECK_TEST_LARGE=1`, which takes a minute or more.
@Suite(.ownThreads, .serialized) struct LargeBodyTests {
    private static let isLarge = ProcessInfo.processInfo.environment["TAPEDECK_TEST_LARGE"] == "1"
    /// In KiB: 100 MiB.
    private static let memoryLimit = 100 << 10

    @Test(.long) func `64 MiB down`() throws { try Self.download(64 << 20) }
    @Test(.long) func `64 MiB up`() throws { try Self.upload(64 << 20) }

    @Test(.enabled(if: Self.isLarge, "takes long; set TAPEDECK_TEST_LARGE=1 to run it"))
    func `1 GiB down`() throws { try Self.download(1 << 30) }

    @Test(.enabled(if: Self.isLarge, "takes long; set TAPEDECK_TEST_LARGE=1 to run it"))
    func `1 GiB up`() throws { try Self.upload(1 << 30) }

    private static func download(_ size: Int) throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        let origin = try Origin(in: folder)
        let url = origin.url("/big?size=\(size)", .https)
        let recording = try folder.serve("record", "x", "--upstream-ca", origin.authorityPath)
        let live = try Self.digest(folder, Curl.through(recording), url)
        let recordingPeak = try recording.peakMemory()
        try recording.stop()
        let direct = try Self.digest(folder, Curl.direct(origin), url)
        try origin.stop()
        #expect(live == direct)
        #expect(recordingPeak < Self.memoryLimit, "\(recordingPeak) KiB")
        #expect(try Self.bodyFileSizes(folder) == [size])

        let replay = try folder.serve("replay", "x")
        #expect(try Self.digest(folder, Curl.through(replay), url) == direct)
        let replayPeak = try replay.peakMemory()
        #expect(replayPeak < Self.memoryLimit, "\(replayPeak) KiB")
        try replay.stop()
    }

    private static func upload(_ size: Int) throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        let origin = try Origin(in: folder)
        let file = folder / "upload"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        // A hole: nothing of it is on the disk.
        try #require(truncate(file, off_t(size)) == 0)
        let url = origin.url("/sink", .https)
        let arguments = ["-X", "POST", "-T", file, url]
        let recording = try folder.serve("record", "x", "--upstream-ca", origin.authorityPath)
        let live = try folder.run(Curl.through(recording) + arguments)
        let recordingPeak = try recording.peakMemory()
        try recording.stop()
        #expect(live.outputText == #"{"length":\#(size)}"#, "\(live.errorText)")
        #expect(recordingPeak < Self.memoryLimit, "\(recordingPeak) KiB")
        #expect(try Self.bodyFileSizes(folder) == [size])
        try origin.stop()

        let replay = try folder.serve("replay", "x")
        expectSame(try folder.run(Curl.through(replay) + arguments).output, live.output)
        let replayPeak = try replay.peakMemory()
        #expect(replayPeak < Self.memoryLimit, "\(replayPeak) KiB")
        try replay.stop()
    }

    /// SHA-256 of what comes, which is never all in memory.
    private static func digest(_ folder: TestFolder, _ curl: [String], _ url: String) throws -> String {
        let script = #"set -o pipefail; "$@" | sha256sum"#
        let result = try folder.run(["bash", "-c", script, "bash"] + curl + ["--max-time", "300", url])
        #expect(result.exitCode == 0, "\(result.errorText)")
        return result.outputText
    }

    private static func bodyFileSizes(_ folder: TestFolder) throws -> [Int] {
        try folder.names(in: "cassettes/x").map { name in
            try FileManager.default.attributesOfItem(atPath: folder / "cassettes/x/\(name)")[.size] as? Int ?? -1
        }
    }
}
