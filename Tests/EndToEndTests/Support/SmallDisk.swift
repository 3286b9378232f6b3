import Foundation
import Testing

/// A disk of a few MiB, in place of the folder `cassettes` of a test. Only programs that are started through it see it:
/// it is mounted in a mount namespace, which needs root, or root in a user namespace.
final class SmallDisk: Sendable {
    private let folder: TestFolder
    private let keeper: Program
    /// The command that starts a program.
    let launcher: [String]

    /// - Parameter size: as `mount -o size=` has it.
    init(in folder: TestFolder, size: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder / "cassettes", withIntermediateDirectories: true)
        // The namespace lives as long as a program in it.
        self.keeper = try folder.start(
            [
                "unshare", "-m", "sh", "-c", #"mount -t tmpfs -o size="$0" none cassettes && echo there && exec cat"#,
                size,
            ],
            input: nil
        )
        try self.keeper.waitForOutput("a small disk; these tests need root") { $0.contains("there") ? () : nil }
        let inFolder = ["sh", "-c", #"cd "$0" && exec "$@""#, folder.path]
        self.launcher = ["nsenter", "-t", "\(self.keeper.id)", "-m"] + inFolder
    }

    deinit {
        self.keeper.closeInput()
    }

    /// Runs a program that has the disk.
    func run(_ command: [String]) throws -> Program.Result {
        try self.folder.run(self.launcher + command)
    }

    /// Runs `tapedeck` with `arguments`.
    func tapedeck(_ arguments: String...) throws -> Program.Result {
        try self.run(Tapedeck.command(arguments))
    }

    func serve(_ arguments: String...) throws -> TapedeckProcess {
        try TapedeckProcess(self.folder, arguments, launcher: self.launcher)
    }

    func grow(to size: String) throws {
        let result = try self.run(["mount", "-o", "remount,size=\(size)", "none", "cassettes"])
        try #require(result.exitCode == 0, "\(result.errorText)")
    }

    func read(_ name: String) throws -> Data {
        let result = try self.run(["cat", name])
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.output
    }

    func exists(_ name: String) throws -> Bool {
        try self.run(["test", "-e", name]).exitCode == 0
    }
}
