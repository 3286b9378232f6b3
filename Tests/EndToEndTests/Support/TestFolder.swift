import Foundation
import Synchronization

/// A folder for one test, and an environment in which programs find only it. Removed with the test.
final class TestFolder: Sendable {
    let path: String
    private let heldPorts = Mutex<[HeldPort]>([])

    init() throws {
        let name = "tapedeck-e2e-\(UUID().uuidString.prefix(8))"
        self.path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// The search path for programs. A `python3` that only starts another one, as those of pyenv and asdf do, would take
    /// longer than most tests: the folder of the other one comes first.
    static let searchPath: String = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let program = try? Program(
            ["python3", "-c", "import os, sys; print(os.path.dirname(sys.executable))"],
            environment: ["PATH": path],
            directory: "/",
            input: Data()
        )
        let folder = try? program?.result().outputText.trimmingCharacters(in: .newlines)
        let found = path.split(separator: ":").first { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        guard let folder, !folder.isEmpty, folder != found.map(String.init) else { return path }
        return "\(folder):\(path)"
    }()

    /// Keeps the ports of a stopped server for the time of the test.
    func hold(_ ports: [Int]) {
        self.heldPorts.withLock { $0 += ports.map { HeldPort($0) } }
    }

    /// Keeps the port of a URL, likewise.
    func holdPort(of url: String) {
        if let port = URLComponents(string: url)?.port { self.hold([port]) }
    }

    /// Only the path to programs of the tester's settings: a proxy or a netrc would change results.
    var environment: [String: String] {
        [
            "PATH": Self.searchPath,
            "HOME": self.path,
            "XDG_DATA_HOME": self / "data",
            "XDG_CONFIG_HOME": self / "config",
            "TMPDIR": self.path,
            "TAPEDECK_CA_DIR": self / "ca",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
        ]
    }

    static func / (folder: TestFolder, name: String) -> String {
        "\(folder.path)/\(name)"
    }

    /// Writes a file, and the folders it is in, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try self.write(Data(text.utf8), to: name)
    }

    @discardableResult
    func write(_ data: Data, to name: String) throws -> String {
        let path = self / name
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Has decks that are started here redact nothing: for tests of what comes back byte for byte.
    func redactNothing() throws {
        try self.write("redact: off\n", to: "tapedeck.yaml")
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: self / name)), as: UTF8.self)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: self / name)
    }

    /// The names in a folder of it, in order.
    func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self / name).sorted()
    }

    // MARK: Programs

    /// Runs a program in this folder to its end.
    @discardableResult
    func run(
        _ command: [String],
        environment: [String: String] = [:],
        input: Data = Data()
    ) throws -> Program.Result {
        try self.start(command, environment: environment, input: input).result()
    }

    /// Starts a program in this folder.
    func start(
        _ command: [String],
        environment: [String: String] = [:],
        input: Data? = Data()
    ) throws -> Program {
        try Program(
            command,
            environment: self.environment.merging(environment) { $1 },
            directory: self.path,
            input: input
        )
    }
}
