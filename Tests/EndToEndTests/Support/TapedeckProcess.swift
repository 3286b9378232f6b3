import Foundation
import Testing

/// `tapedeck`, as built together with these tests.
enum Tapedeck {
    /// The program: next to the test bundle, wherever that was built.
    static let path: String = {
        let starts = [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""] + CommandLine.arguments
        for start in starts where start.hasPrefix("/") {
            var folder = start as NSString
            while folder.length > 1 {
                folder = folder.deletingLastPathComponent as NSString
                let candidate = folder.appendingPathComponent("tapedeck")
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
                    return candidate
                }
            }
        }
        fatalError("there is no tapedeck beside the tests: \(starts)")
    }()

    /// The origins of these tests are on this machine, in place of others: they are recorded, and unmatched requests do
    /// not pass to them. Many of the commands send no request.
    static func command(_ arguments: [String]) -> [String] {
        guard let mode = arguments.first else { return [self.path] }
        switch mode {
        case "record", "append": return [self.path, mode, "--loopback", "--allow-unused"] + arguments.dropFirst()
        case "replay": return [self.path, mode, "--no-local", "--allow-unused"] + arguments.dropFirst()
        case "serve": return [self.path, mode, "--no-local"] + arguments.dropFirst()
        default: return [self.path] + arguments
        }
    }
}

extension TestFolder {
    /// Runs `tapedeck` with `arguments` to its end.
    @discardableResult
    func tapedeck(
        _ arguments: String...,
        environment: [String: String] = [:],
        input: Data = Data()
    ) throws -> Program.Result {
        try self.run(Tapedeck.command(arguments), environment: environment, input: input)
    }

    @discardableResult
    func tapedeck(_ arguments: [String], environment: [String: String] = [:]) throws -> Program.Result {
        try self.run(Tapedeck.command(arguments), environment: environment)
    }

    /// Starts `tapedeck` on a free port, and waits until it listens.
    func serve(_ arguments: String..., environment: [String: String] = [:]) throws -> TapedeckProcess {
        try TapedeckProcess(self, arguments, environment: environment)
    }
}

/// `tapedeck` while it serves.
final class TapedeckProcess: Sendable {
    let program: Program
    /// Its proxy URL: `http://127.0.0.1:PORT`.
    let url: String
    let port: Int
    /// The URL of its control API, `http://127.0.0.1:PORT`; `nil` without one.
    let controlURL: String?
    /// The certificate authority, as a file.
    let authorityPath: String

    /// - Parameters:
    ///   - launcher: the command that runs the program, such as one that provides another disk.
    ///   - asksForLoopback: true if origins on this machine count like any others; see ``Tapedeck/command(_:)``.
    init(
        _ folder: TestFolder,
        _ arguments: [String],
        environment: [String: String] = [:],
        launcher: [String] = [],
        asksForLoopback: Bool = true
    ) throws {
        self.authorityPath = folder / "ca/ca.pem"
        self.program = try folder.start(
            launcher + (asksForLoopback ? Tapedeck.command(arguments) : [Tapedeck.path] + arguments) + ["--port", "0"],
            environment: environment
        )
        self.url = try self.program.waitForErrors("its address") { text in
            // The last of its lines, so that nothing is being written while a test reads them.
            guard text.contains("to trust it:") else { return nil }
            return text.firstMatch(of: #/at (http://127\.0\.0\.1:\d+)\s/#).map { String($0.1) }
        }
        self.controlURL = self.program.errorsSoFar.firstMatch(of: #/to steer it:\s+(http://127\.0\.0\.1:\d+)/#)
            .map { String($0.1) }
        self.port = Int(self.url.split(separator: ":").last ?? "") ?? 0
    }

    deinit {
        self.program.send(SIGKILL)
    }

    /// Interrupts it and waits for its end.
    @discardableResult
    func stop(sourceLocation: SourceLocation = #_sourceLocation) throws -> Program.Result {
        self.program.send(SIGINT)
        let result = try self.program.result()
        #expect(result.exitCode == 0, "\(result.errorText)", sourceLocation: sourceLocation)
        return result
    }

    /// Ends it as a crash would.
    func crash() throws {
        self.program.send(SIGKILL)
        try self.program.result()
    }

    /// The most memory it has held so far, in KiB.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(self.program.id)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmHWM:\s*(\d+) kB/).flatMap { Int($0.1) })
    }
}
