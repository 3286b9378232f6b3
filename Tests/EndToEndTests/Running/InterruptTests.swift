import Foundation
import TestShare
import Testing

/// Ctrl-C at any moment: a command ends at once, and each file is the old or the new one.
@Suite(.ownThreads) struct InterruptTests {
    private static let sets = 120
    private static let first = "GET api.example.com/items/0"

    /// A command line, with {ORIGIN} for a live server and {SILENT} for a port where nothing answers.
    struct Line: CustomTestStringConvertible, Sendable {
        var words: [String]
        /// True for a command that only ends when it is stopped.
        var isEndless = false
        /// The exit codes of a run that the signal does not stop any more, or that saves and stops for it.
        var codes: [Int32] = [0]

        init(_ words: String..., isEndless: Bool = false, codes: [Int32] = [0]) {
            (self.words, self.isEndless, self.codes) = (words, isEndless, codes)
        }

        var testDescription: String { self.words.joined(separator: " ") }
    }

    static let lines = [
        Line("record", "new", "--", "sleep", "60", isEndless: true),
        Line("append", "tape", "--", "sleep", "60", isEndless: true),
        Line("replay", "tape", "--", "sleep", "60", isEndless: true),
        Line("passthrough", "--", "sleep", "60", isEndless: true),
        // A deck without a command is there until it is stopped.
        Line("serve", "tape", "--port", "0", isEndless: true, codes: [0]),
        Line("show", "tape"), Line("check", "tape"),
        Line("explain", "tape", "GET", "https://api.example.com/items/0?at=0"),
        Line("ca"), Line("config", "replay"), Line("demo"),
        Line("health", "--deck", "{SILENT}", isEndless: true),
        Line("doctor", "--", "sleep", "60", isEndless: true),
        Line("matrix", "tape", "--", "sleep", "60", isEndless: true),
        Line("refresh", "live"), Line("drift", "live", codes: [0, 1]),
        Line("diff", "tape", "other", codes: [1]), Line("suggest", "tape", "other", "--apply"),
        Line("ignore", "tape", "query:page"),
        Line("scan", codes: [0, 1]), Line("scrub", "tape", codes: [0, 1]),
        Line("prune", "tape", "--report", "report.json", "--yes", "--force"),
        Line("coverage", "--report", "report.json", codes: [0, 1]),
        Line("set", "rename", "tape", Self.first, "renamed"), Line("set", "remove", "tape", Self.first),
        Line("set", "move", "tape", Self.first, "--last"), Line("set", "copy", "tape", Self.first, "--as", "copy"),
        Line("variant", "rename", "tape", Self.first, "other", "another"),
        Line("variant", "remove", "tape", Self.first, "other"),
        Line("variant", "copy", "tape", Self.first, "other", "another"),
        Line("variant", "default", "tape", Self.first, "other"),
        Line("take", "remove", "tape", Self.first, "other", "1"),
        Line("merge", "tape", "more", "--remove"), Line("split", "tape"),
        Line("split", "tape", "--by", "set", "--remove"),
        Line("edit", "tape", Self.first, "--print"), Line("schema"),
        Line("import", "traffic.har", codes: [0, 1]), Line("export", "tape", "-o", "out.har", codes: [0, 1]),
        Line("pull", "--deck", "{SILENT}", isEndless: true), Line("push", "--deck", "{SILENT}", isEndless: true),
        Line("session", "list", "--deck", "{SILENT}", isEndless: true),
        Line("sets", "--deck", "{SILENT}", isEndless: true),
        Line("select", "a=b", "--deck", "{SILENT}", isEndless: true),
        Line("profile", "list", "--deck", "{SILENT}", isEndless: true),
        Line("state", "--deck", "{SILENT}", isEndless: true), Line("reset", "--deck", "{SILENT}", isEndless: true),
        Line("journal", "--deck", "{SILENT}", isEndless: true), Line("report", "--deck", "{SILENT}", isEndless: true),
        Line("recording", "stop", "--deck", "{SILENT}", isEndless: true),
    ]

    @Test func `every command of the help is here`() throws {
        let help = try TestFolder().tapedeck("--help").outputText
        let commands = help.matches(of: /(?m)^  ([a-z]+)(?: \(default\))?(?: {2,}.*|)$/).map { String($0.1) }
        #expect(commands.count > 30, "\(commands)")
        let tried = Set(Self.lines.compactMap(\.words.first))
        #expect(Set(commands).subtracting(tried).subtracting(["help"]).isEmpty)
    }

    @Test(.long, arguments: InterruptTests.lines)
    func `an interrupted command ends, and each file is the old or the new one`(line: Line) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        let silent = try SilentPort()
        let template = try TestFolder()
        let origin = try Origin(in: template)
        defer { withExtendedLifetime((origin, silent)) {} }
        try Self.fill(template, origin)
        let words = line.words.map {
            $0.replacing("{ORIGIN}", with: origin.url("/", .http)).replacing("{SILENT}", with: silent.url)
        }
        // The files after a run that nothing stops, and the time that it takes.
        let old = try Self.files(template)
        var (new, time) = (old, 1.0)
        if !line.isEndless {
            let whole = try Self.copy(of: template)
            let start = Date()
            let result = try whole.tapedeck(words, environment: ["CI": ""])
            time = Date().timeIntervalSince(start)
            #expect(line.codes.contains(result.exitCode), "\(result.errorText)")
            new = try Self.files(whole)
        }
        for _ in 0..<rounds(6) {
            let folder = try Self.copy(of: template)
            let program = try folder.start(Tapedeck.command(words), environment: ["CI": ""])
            // Any moment will do.
            Thread.sleep(forTimeInterval: Double.random(in: 0...time, using: &random))
            program.send(SIGINT)
            let result = try program.result()
            let codes = [130] + (line.isEndless && line.words[0] != "serve" ? [] : line.codes)
            #expect(codes.contains(result.exitCode), "seed \(seed): \(result.exitCode) \(result.errorText)")
            for (name, content) in try Self.files(folder) where old[name] != content && new[name] != content {
                // The time at which an answer was recorded is another one in each run.
                let isRecording = line.words[0] == "refresh" && name.hasSuffix("live.yaml")
                let check = isRecording ? try folder.tapedeck("check", "live").exitCode : 65
                #expect(check == 0, "seed \(seed): \(name) is neither the old nor the new file")
            }
            for name in old.keys where new[name] != nil {
                #expect(folder.exists(name), "seed \(seed): \(name) is gone")
            }
        }
    }

    @Test func `an edit that was stopped while it wrote can be made again`() throws {
        let folder = try TestFolder()
        try Self.fill(folder, nil)
        // A process that was killed after it took the lock and before it wrote leaves these files.
        let stopped = try folder.start([
            "sh", "-c",
            """
            mkdir cassettes/tape.journal && printf 'TAPEDECK JOURNAL 7 append\\n' > cassettes/tape.journal/exchanges &&
            head -c 38 /dev/zero >> cassettes/tape.journal/exchanges
            """,
        ]).result()
        #expect(stopped.exitCode == 0)
        let result = try folder.tapedeck("set", "rename", "tape", Self.first, "renamed")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(!folder.exists("cassettes/tape.journal"))
    }

    @Test func `an editor gets Ctrl-C for itself`() throws {
        let folder = try TestFolder()
        try Self.fill(folder, nil)
        // Stands for an editor that takes Ctrl-C, which a terminal sends to both.
        try folder.write(
            """
            trap : INT
            echo started
            kill -INT $PPID
            kill -INT $$
            sed -i 's/number 0/number zero/' "$1"
            """,
            to: "editor.sh"
        )
        let result = try folder.run(
            Tapedeck.command(["edit", "tape", Self.first, "recorded"]),
            environment: ["EDITOR": "sh \(folder / "editor.sh")"]
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(try folder.read("cassettes/tape.yaml").contains("number zero"))
    }

    // MARK: Files

    private static func fill(_ folder: TestFolder, _ origin: Origin?) throws {
        try folder.write(self.cassette(), to: "cassettes/tape.yaml")
        try folder.write(self.cassette(at: 7), to: "cassettes/other.yaml")
        try folder.write(self.cassette(path: "more"), to: "cassettes/more.yaml")
        if let origin {
            try folder.write(self.cassette(live: origin.url("", .http)), to: "cassettes/live.yaml")
        }
        let entries = (0..<self.sets).map { number in
            """
            {"startedDateTime": "2026-10-01T10:00:00.000Z", "time": 1, "cache": {}, "timings": {},
             "request": {"method": "GET", "url": "https://har.example.com/\(number)", "headers": []},
             "response": {"status": 200, "statusText": "OK", "headers": [], "content": {"mimeType": "text/plain", "text": "a"}}}
            """
        }
        let har = #"{"log": {"version": "1.2", "entries": [\#(entries.joined(separator: ","))]}}"#
        try folder.write(har, to: "traffic.har")
        _ = try folder.tapedeck("replay", "tape", "--report", "report.json", "--", "true")
    }

    /// - Parameter live: the URL of the origin of all sets; `nil` for two hosts that need not be there.
    private static func cassette(live: String? = nil, path: String = "items", at time: Int = 0) -> String {
        let token = "Bearer ghp_\(String(repeating: "a1B2", count: 9))"
        let sets = (0..<self.sets).map { number in
            let base = live ?? (number % 2 == 0 ? "https://api.example.com" : "https://www.example.com")
            return """
                  - name: GET api.example.com/\(path)/\(number)
                    request: { method: GET, url: '\(base)/\(path)/\(number)', query: { at: '\(time)' } }
                    variants:
                      - name: recorded
                        takes:
                          - recorded: 2026-10-01T10:00:00Z
                            status: 200
                            body: { text: 'number \(number), \(token)' }
                      - name: other
                        takes:
                          - status: 404
                          - status: 500

                """
        }
        return "tapedeck: 1\nresponseSets:\n" + sets.joined(separator: "\n")
    }

    private static func copy(of template: TestFolder) throws -> TestFolder {
        let folder = try TestFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: template.path) where name != "origin" {
            try FileManager.default.copyItem(atPath: template / name, toPath: folder / name)
        }
        // The report of a run knows its cassettes by their whole paths.
        try folder.write(folder.read("report.json").replacing(template.path, with: folder.path), to: "report.json")
        return folder
    }

    /// The cassettes and exported files, by their names. Temporary files and journals, which the next start removes, are none.
    private static func files(_ folder: TestFolder) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for name in names where name.hasSuffix(".yaml") || name.hasSuffix(".har") {
            guard !name.contains("/."), !name.hasPrefix("."), !name.hasPrefix("tapedeck-"), !name.contains(".refresh")
            else {
                continue
            }
            files[name] = FileManager.default.contents(atPath: folder / name)
        }
        return files
    }

    /// SplitMix64: a generator with a seed that a failure can name.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
