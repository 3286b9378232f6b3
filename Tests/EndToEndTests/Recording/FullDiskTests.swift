import Foundation
import TestShare
import Testing

/// Recording until a disk is full, and what is left then.
@Suite(.ownThreads) struct FullDiskTests {
    /// A body of this size goes into the journal of a recording.
    private static let small = 200_000
    /// A body of this size goes to a file while it comes.
    private static let large = 400_000

    /// The part that a deck recorded before it stopped.
    private struct Recorded {
        var bodies: [(url: String, body: Data)]
        var failure: String
    }

    /// Asks for one body after the other until the recording has stopped. All of them must come whole.
    private static func fill(
        _ deck: TapedeckProcess,
        _ folder: TestFolder,
        _ origin: Origin,
        sizes: [Int]
    ) throws -> Recorded {
        let control = try folder.control(deck)
        var bodies: [(url: String, body: Data)] = []
        for number in 0..<500 {
            // Each of another size, as the origin's noise depends on that: equal bodies would share a file.
            let size = sizes[number % sizes.count] + number
            let url = origin.url("/binary?size=\(size)&n=\(number)")
            let answer = try folder.curl(deck, "-f", url)
            #expect(answer.exitCode == 0, "\(answer.errorText)")
            #expect(answer.output.count == size)
            bodies.append((url, answer.output))
            let session = try control.get("GET", "/v1/sessions/default")
            let recording = try #require(session["recording"] as? [String: Any])
            guard let failure = recording["failure"] as? String else { continue }
            // One after the other, so the first ones are recorded.
            let count = try #require(recording["exchanges"] as? Int)
            return Recorded(bodies: Array(bodies.prefix(count)), failure: failure)
        }
        throw Program.Failure(description: "the disk is not full yet")
    }

    /// Ends a deck, and expects the exit code of a recording that is not what it should be.
    private static func stop(_ deck: TapedeckProcess) throws -> String {
        deck.program.send(SIGINT)
        let result = try deck.program.result()
        #expect(result.exitCode == 74, "\(result.errorText)")
        return result.errorText
    }

    private static func expectAll(_ recorded: Recorded, from replay: TapedeckProcess, _ folder: TestFolder) throws {
        #expect(!recorded.bodies.isEmpty)
        for (url, body) in recorded.bodies { expectSame(try folder.curl(replay, url).output, body) }
    }

    @Test(.long) func `a full disk stops only the recording, which is saved once there is room`()
        throws
    {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let disk = try SmallDisk(in: folder, size: "6m")
        let known = origin.url("/json")
        let first = try disk.tapedeck("record", "x", "--min-free-disk", "0", "--", "curl", "-sSf", known)
        try #require(first.exitCode == 0, "\(first.errorText)")
        let before = try disk.read("cassettes/x.yaml")

        let deck = try disk.serve("append", "x", "--min-free-disk", "0")
        let recorded = try Self.fill(deck, folder, origin, sizes: [Self.small, Self.large])
        #expect(recorded.failure.contains("the recording of session default is stopped: the disk is full"))
        // Live and taped answers continue.
        #expect(try folder.curl(deck, "-f", origin.url("/binary?size=\(Self.large)&after")).output.count == Self.large)
        expectSame(try folder.curl(deck, "-f", known).output, first.output)
        let errors = try Self.stop(deck)
        #expect(errors.components(separatedBy: "error: the recording of session default is stopped").count <= 2)
        #expect(errors.contains("the recording could not be saved"), "\(errors)")
        expectSame(try disk.read("cassettes/x.yaml"), before)

        // Existing answers play, full disk or not; a new recording reports why it cannot begin.
        let replay = try disk.tapedeck("replay", "x", "--", "curl", "-sSf", known)
        #expect(replay.exitCode == 0, "\(replay.errorText)")
        expectSame(replay.output, first.output)
        #expect(replay.errorText.contains("cannot take up the interrupted recording"), "\(replay.errorText)")
        let again = try disk.tapedeck("append", "x", "--min-free-disk", "0", "--", "true")
        #expect(again.exitCode == 69)
        #expect(again.errorText.contains("No space left on device"), "\(again.errorText)")

        try disk.grow(to: "64m")
        try origin.stop()
        let replayed = try disk.serve("replay", "x")
        #expect(
            replayed.program.errorsSoFar.contains(
                "took up an interrupted recording: \(recorded.bodies.count) exchanges"
            )
        )
        try Self.expectAll(recorded, from: replayed, folder)
        expectSame(try folder.curl(replayed, known).output, first.output)
        try replayed.stop()
        #expect(try !disk.exists("cassettes/x.journal"))
    }

    @Test(.long) func `a recording stops while there is room left to save it`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let disk = try SmallDisk(in: folder, size: "12m")
        let deck = try disk.serve("record", "x", "--min-free-disk", "4M")
        let recorded = try Self.fill(deck, folder, origin, sizes: [Self.large])
        #expect(recorded.failure.contains("the disk has less than 4 MiB left (--min-free-disk)"))
        let errors = try Self.stop(deck)
        #expect(errors.contains("wrote cassettes/x.yaml"), "\(errors)")
        #expect(try !disk.exists("cassettes/x.journal"))
        try origin.stop()
        let replay = try disk.serve("replay", "x")
        try Self.expectAll(recorded, from: replay, folder)
        try replay.stop()
        let again = try disk.tapedeck("append", "x", "--min-free-disk", "8M", "--", "true")
        #expect(again.exitCode == 69)
        #expect(again.errorText.contains("--min-free-disk"), "\(again.errorText)")
    }

    @Test(.long, arguments: ["--max-session-disk", "--max-disk"])
    func `a recording that has reached its limit stops alone`(_ option: String) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", option, "1M")
        let control = try folder.control(deck)
        let (large, _) = try control.session(#"{"mode": "record", "cassettes": ["large"]}"#)
        let (small, _) = try control.session(#"{"mode": "record", "cassettes": ["small"]}"#)
        func ask(_ session: String, _ path: String) throws -> Int {
            try folder.curl(deck, "-f", "-H", "X-Tapedeck-Session: \(session)", origin.url(path)).output.count
        }
        #expect(try ask(small, "/json") > 0)
        for number in 0..<4 {
            #expect(try ask(large, "/binary?size=\(Self.large)&n=\(number)") == Self.large)
        }
        let taken = try #require(try control.get("GET", "/v1/deck")["inUse"] as? [String: Any])
        #expect(try #require(taken["disk"] as? Int) > 2 * Self.large)
        let end = try folder.tapedeck(["session", "end", large], environment: ["TAPEDECK_URL": control.url])
        #expect(end.exitCode == 74)
        let reason = option == "--max-disk" ? "the recordings of all sessions have" : "it has"
        let failure = "the recording of session \(large) is stopped: \(reason) reached 1 MiB (\(option))"
        #expect(end.outputText.contains(failure), "\(end.outputText)")
        let report = try control.get("GET", "/v1/sessions/\(large)/report")
        let saved = try #require(report["saved"] as? [String: Any])
        #expect(saved["exchanges"] as? Int == 2)
        #expect(saved["failure"] as? String == failure)

        #expect(try ask(small, "/echo?more") > 0)
        let other = try control.get("DELETE", "/v1/sessions/\(small)")
        let savedOther = try #require(other["saved"] as? [String: Any])
        #expect(savedOther["exchanges"] as? Int == 2)
        #expect(savedOther["failure"] == nil)
        let free = try #require(try control.get("GET", "/v1/deck")["inUse"] as? [String: Any])
        #expect(free["disk"] as? Int == 0)
        #expect(try Self.stop(deck).contains("1 recording was stopped before the end"))
    }
}
