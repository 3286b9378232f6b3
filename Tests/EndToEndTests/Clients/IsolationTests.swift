import Foundation
import TestShare
import Testing

/// The kernel of the machine that runs the tests.
enum Kernel {
    /// Determined without Tapedeck, so that a failure of ours is not mistaken for the kernel's.
    static let isolates: Bool = {
        let probe = ["unshare", "--user", "--map-root-user", "--net", "--mount", "mount", "--make-rslave", "/"]
        return (try? TestFolder().run(probe))?.exitCode == 0
    }()
}

/// Commands in a network of their own, whose clients know nothing of the deck.
@Suite(.ownThreads, .enabled(if: Kernel.isolates, "the kernel lets nobody make user namespaces here"))
struct IsolationTests {
    private static let host = "api.example.test"
    /// Gives up root for a user that has nothing.
    private static let asNobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

    private static func succeeds(_ command: [String]) -> Bool {
        (try? TestFolder().run(command))?.exitCode == 0
    }

    /// Records what a command asks of an origin, and replays it when the origin is gone.
    ///
    /// - Parameters:
    ///   - user: what `tapedeck` is started by, if not by the tester.
    ///   - command: makes the command from a URL.
    static func roundTrip(
        _ folder: TestFolder,
        as user: [String] = [],
        _ command: (String) -> [String]
    ) throws -> (live: Program.Result, played: Program.Result) {
        let origin = try Origin(in: folder, certificateFor: Self.host)
        let port = origin.port(.https)
        if !user.isEmpty { try folder.run(["chown", "-R", "65534:65534", folder.path]) }
        let asked = command("https://\(Self.host):\(port)/counter")
        let options = ["--upstream-ca", origin.authorityPath, "--resolve", "\(Self.host):\(port):127.0.0.1"]
        let live = try folder.run(
            user
                + Tapedeck.command(
                    ["record", "x", "--isolate", "always", "--ports", "\(port)"] + options + ["--"] + asked
                )
        )
        #expect(live.exitCode == 0 && live.errorText.contains("1 exchange recorded"), "\(live.errorText)")
        try origin.stop()
        let played = try folder.run(
            user + Tapedeck.command(["replay", "x", "--isolate", "always", "--"] + asked)
        )
        #expect(played.exitCode == 0, "\(played.errorText)")
        #expect(played.errorText.contains("could lead anywhere but to this deck, which connected to nothing"))
        return (live, played)
    }

    @Test func `curl without a setting or a variable is recorded and replayed`() throws {
        let (live, played) = try Self.roundTrip(try TestFolder()) { url in
            ["env", "-i", "curl", "-q", "-sS", "--max-time", "40", url]
        }
        #expect(live.outputText == #"{"count":1}"#)
        expectSame(played.output, live.output)
    }

    @Test(
        .enabled(
            if: getuid() == 0 && succeeds(asNobody + ["test", "-x", Tapedeck.path]),
            "only root can become another user, who must be able to run the program"
        )
    )
    func `an ordinary user keeps the id and has no capability`() throws {
        let (live, played) = try Self.roundTrip(try TestFolder(), as: Self.asNobody) { url in
            ["sh", "-c", "id -u; id -g; grep Cap /proc/self/status; curl -q -sS --max-time 40 \(url)"]
        }
        #expect(live.outputText.hasPrefix("65534\n65534\n"), "\(live.outputText)")
        let capabilities = live.outputText.matches(of: #/Cap\w+:\t([0-9a-f]+)/#).map(\.1)
        #expect(capabilities.count == 5 && capabilities.allSatisfy { $0 == "0000000000000000" })
        expectSame(played.output, live.output)
    }

    private static let program = """
        package main

        import ("io"; "net/http"; "os")

        func main() {
            answer, problem := http.Get(os.Args[1])
            if problem != nil { panic(problem) }
            io.Copy(os.Stdout, answer.Body)
        }
        """

    @Test(.long, .enabled(if: succeeds(["go", "version"]), "Go is not installed"))
    func `a static Go program is recorded and replayed`() throws {
        let folder = try TestFolder()
        let source = try folder.write(Self.program, to: "main.go")
        let home = ProcessInfo.processInfo.environment["HOME"] ?? "/root"
        let built = try folder.run(
            ["go", "build", "-o", folder / "client", source],
            environment: ["CGO_ENABLED": "0", "GOCACHE": "\(home)/.cache/go-build", "GOFLAGS": "-mod=mod"]
        )
        try #require(built.exitCode == 0, "\(built.errorText)")
        let (live, played) = try Self.roundTrip(folder) { [folder / "client", $0] }
        #expect(live.outputText == #"{"count":1}"#)
        expectSame(played.output, live.output)
    }

    // MARK: The command

    private static let replayCommand = [Tapedeck.path, "replay", "x", "--allow-unused", "--isolate", "always"]

    /// Runs the replay of an empty cassette.
    private static func run(_ folder: TestFolder, _ command: [String]) throws -> Program.Result {
        try folder.write("tapedeck: 1\n", to: "cassettes/x.yaml")
        return try folder.run(command)
    }

    private static func replay(_ folder: TestFolder, _ options: [String], _ script: String) throws -> Program.Result {
        try self.run(folder, self.replayCommand + options + ["--", "sh", "-c", script])
    }

    /// Runs a Python script whose arguments are the start of a replay.
    private static func replay(from script: String) throws -> Program.Result {
        try self.run(try TestFolder(), Program.python + ["-c", script] + self.replayCommand)
    }

    @Test(arguments: [("exit 7", 7), ("kill -TERM $$", 143), ("exec /nowhere/command", 127)] as [(String, Int32)])
    func `the exit code is the command's`(script: String, code: Int32) throws {
        #expect(try Self.replay(try TestFolder(), [], script).exitCode == code)
    }

    @Test func `a command that does not exist ends as without isolation`() throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(["passthrough", "--isolate", "always", "--", "no-such-command"])
        #expect(result.exitCode == 127)
        #expect(result.errorText.contains("cannot run no-such-command: there is no such command"))
    }

    /// The files of `/etc` that a command sees in another form. A bare machine may lack some of them.
    private static let covered = ["resolv.conf", "nsswitch.conf", "ssl/certs/ca-certificates.crt"]
        .map { "/etc/\($0)" }
        .filter(FileManager.default.fileExists(atPath:))

    @Test(.enabled(if: !covered.isEmpty, "the machine has none of the files that are mounted over"))
    func `mounts for the command exist nowhere else`() throws {
        func mounts() throws -> Set<String> {
            let lines = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).split(separator: "\n")
            return Set(lines.map { String($0.split(separator: " ")[1]) }.filter { $0.hasPrefix("/etc/") })
        }
        let before = try mounts()
        let folder = try TestFolder()
        let result = try Self.replay(folder, [], "cat /proc/self/mounts")
        #expect(Self.covered.allSatisfy { result.outputText.contains(" \($0) ") }, "\(result.outputText)")
        #expect(try mounts() == before)
        // The files that were mounted went with the command.
        #expect(try folder.names(in: ".").filter { $0.hasPrefix("tapedeck-") } == [])
    }

    @Test(arguments: [[], ["--no-local"]])
    func `services of the machine can be reached unless that is disallowed`(options: [String]) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let script = "curl -q -sS --max-time 40 http://127.0.0.1:\(origin.port(.http))/counter"
        let result = try Self.replay(folder, options, script)
        #expect(result.exitCode == (options.isEmpty ? 0 : 7), "\(result.errorText)")
        #expect(result.outputText == (options.isEmpty ? #"{"count":1}"# : ""))
        try origin.stop()
    }

    /// The maximum number of open files that a program may ask for.
    private static var openFiles: rlim_t {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_max : 0
    }

    @Test(.long, .enabled(if: openFiles >= 4_096, "the tests may not open as many files"))
    func `a machine may have many services`() throws {
        let script = """
            import socket, subprocess, sys
            services = [socket.create_server(("127.0.0.1", 0)) for _ in range(700)]
            last = max(service.getsockname()[1] for service in services)
            connecting = f"import socket; socket.create_connection(('127.0.0.1', {last}), 40)"
            sys.exit(subprocess.run([*sys.argv[1:], "--", sys.executable, "-c", connecting]).returncode)
            """
        let result = try Self.replay(from: script)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(!result.errorText.contains("could not be reached"))
    }

    @Test func `services beyond the limit of open files are counted in a warning`() throws {
        let script = """
            import resource, socket, subprocess, sys
            services = [socket.create_server(("127.0.0.1", 0)) for _ in range(300)]
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
            sys.exit(subprocess.run([*sys.argv[1:], "--", "true"], preexec_fn=limit).returncode)
            """
        let result = try Self.replay(from: script)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("services of this machine could not be reached"), "\(result.errorText)")
    }

    @Test func `nothing else can be reached, by name or by address`() throws {
        let script = """
            for url in http://10.9.8.7:81/ http://[2001:db8::1]:81/ http://name.example:81/; do
                curl -q -sS -g --max-time 40 -o /dev/null -w '%{exitcode}\\n' "$url" 2> /dev/null
            done
            true
            """
        let result = try Self.replay(try TestFolder(), ["--no-local"], script)
        #expect(result.outputText == "7\n7\n7\n")
        #expect(result.errorText.contains("or to other ports than 80, 443, those on tape and those of --ports"))
    }

    // MARK: Refusals

    /// Runs a command where no user namespace can be made.
    private static func refusing(_ folder: TestFolder, _ command: [String]) throws -> Program.Result {
        let script = """
            echo 0 > /proc/sys/user/max_user_namespaces
            exec setpriv --bounding-set=-all --inh-caps=-all "$@"
            """
        return try folder.run(["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"] + command)
    }

    @Test func `--isolate always is an error if the kernel refuses`() throws {
        let command = Tapedeck.command(["passthrough", "--isolate", "always", "--", "true"])
        let result = try Self.refusing(try TestFolder(), command)
        #expect(result.exitCode == 69, "\(result.errorText)")
        #expect(result.errorText.contains("cannot isolate the command (making namespaces: No space left on device)"))
        #expect(result.errorText.contains("sysctl user.max_user_namespaces"))
    }

    @Test func `auto uses variables if the kernel refuses, and says so`() throws {
        let command = Tapedeck.command(["passthrough", "--isolate", "auto", "--", "sh", "-c", "echo $https_proxy"])
        let result = try Self.refusing(try TestFolder(), command)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasPrefix("http://127.0.0.1:"))
        #expect(result.errorText.contains("the kernel refuses to isolate the command (making namespaces"))
        #expect(!result.errorText.contains("tapedeck: isolated"))
    }

    @Test func `the project file can enable it`() throws {
        let folder = try TestFolder()
        try folder.write("deck:\n  isolate: always\n", to: "tapedeck.yaml")
        let script = "getent hosts name.example; echo proxy $https_proxy"
        let result = try folder.tapedeck(["passthrough", "--", "sh", "-c", script])
        // Any name has an address there, and no variable names a proxy.
        let text = result.outputText
        #expect(text.hasPrefix("198.18.") && text.hasSuffix("\nproxy\n"), "\(text)\(result.errorText)")
    }
}
