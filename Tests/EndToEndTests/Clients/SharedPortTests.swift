import Foundation
import TestShare
import Testing

/// Ports on which an isolated command listens, as others on the machine reach them.
@Suite(.ownThreads, .enabled(if: Kernel.isolates, "the kernel lets nobody make user namespaces here"))
struct SharedPortTests {
    /// Listens on an address and a port, and sends back what each connection sends before it ends. Closes when a line comes,
    /// and ends with its input.
    private static let server = """
        import select, socket, sys

        host, port = sys.argv[1], int(sys.argv[2])
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host, port), family=family)
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            connection, _ = server.accept()
            text = b""
            try:
                while piece := connection.recv(65536):
                    text += piece
                connection.sendall(text)
            except OSError:
                pass
            connection.close()
        server.close()
        sys.stdin.read()
        """

    /// A command that runs isolated, and the folder that it is in.
    private final class Run: Sendable {
        let folder: TestFolder
        let program: Program

        /// - Parameter command: makes the command from the path of ``SharedPortTests/server``.
        init(_ options: [String] = [], _ command: (_ server: String) -> [String]) throws {
            self.folder = try TestFolder()
            try self.folder.write("tapedeck: 1\n", to: "cassettes/x.yaml")
            let server = try self.folder.write(SharedPortTests.server, to: "server.py")
            self.program = try self.folder.start(
                [Tapedeck.path, "replay", "x", "--allow-unused", "--isolate", "always", "--log-level", "info"] + options
                    + ["--"] + command(server),
                input: nil
            )
        }

        deinit {
            self.program.send(SIGTERM)
        }

        func waitForLine(containing text: String) throws {
            _ = try self.program.waitForErrors("the line: \(text)") { errors in
                errors.split(separator: "\n").contains { $0.contains(text) } ? true : nil
            }
        }

        /// Waits until a port of the command's is open outside. Returns it.
        func openPort() throws -> Int {
            let port = try self.program.waitForErrors("the opened port") { errors in
                errors.firstMatch(of: #/opened a port.*127\.0\.0\.1:(\d+)\D/#).map { String($0.1) }
            }
            return try #require(Int(port))
        }

        /// Ends the command's input, and waits for its end.
        func end() throws -> Program.Result {
            self.program.closeInput()
            return try self.program.result()
        }
    }

    /// Different ports that are free here. None that the kernel gives out: a program beside this one may get that on
    /// 127.0.0.1, and the deck does not open it then.
    private static let ports = Array(
        (20_000..<30_000).shuffled().lazy.filter { !RawConnection.isOpen(port: $0) }.prefix(5)
    )

    @Test(.long, arguments: zip(["127.0.0.1", "0.0.0.0", "::1", "::", "198.18.0.1"], ports))
    func `a port of the command can be reached while it listens`(address: String, chosen: Int) throws {
        let run = try Run { ["python3", $0, address, "\(chosen)"] }
        let port = try run.openPort()
        #expect(port == chosen)
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        for _ in 0..<2 {
            let client = try RawConnection(port: port)
            client.send(text)
            client.finishSending()
            #expect(try client.readToEnd() == text)
        }
        run.program.write(Data("stop\n".utf8))
        try run.waitForLine(containing: "closed a port of the isolated command (port: 127.0.0.1:\(port))")
        #expect(!RawConnection.isOpen(port: port))
        #expect(try run.end().exitCode == 0)
    }

    @Test(.long) func `clients that leave at once delay nothing`() throws {
        // The server waits for the end of one connection before it takes the next.
        let run = try Run { ["python3", $0, "127.0.0.1", "0"] }
        let port = try run.openPort()
        for _ in 0..<200 { try RawConnection(port: port).abort() }
        let client = try RawConnection(port: port)
        client.send("hello")
        client.finishSending()
        #expect(try client.readToEnd() == "hello")
        #expect(try run.end().exitCode == 0)
    }

    @Test func `a web server in the background is reached by curl`() throws {
        let run = try Run { _ in ["sh", "-c", "python3 -u -m http.server 0 & read line; kill $!"] }
        try run.folder.write("hello", to: "page.txt")
        let url = "http://127.0.0.1:\(try run.openPort())/page.txt"
        let page = try run.folder.run(["curl", "-q", "-sS", "--noproxy", "*", "--max-time", "40", url])
        #expect(page.outputText == "hello", "\(page.errorText)")
        #expect(try run.end().exitCode == 0)
    }

    @Test func `a port that is in use outside is named once, and opened when it is free`() throws {
        let run = try Run { ["sh", "-c", "echo ready; read port; exec python3 \($0) 127.0.0.1 $port"] }
        _ = try run.program.waitForOutput("its start") { $0.contains("ready") ? true : nil }
        // From now on, so that the command does not have it as a port of the machine's.
        let other = try Origin(in: run.folder)
        let port = other.port(.http)
        run.program.write(Data("\(port)\n".utf8))
        try run.waitForLine(containing: "not reachable from outside")
        try other.stop()
        #expect(try run.openPort() == port)
        let result = try run.end()
        #expect(result.exitCode == 0)
        let lines = result.errorText.split(separator: "\n").filter { $0.contains("not reachable from outside") }
        #expect(lines.count == 1 && lines[0].contains("127.0.0.1:\(port)"), "\(result.errorText)")
        #expect(lines.first?.contains("another program uses it") == true)
    }

    /// Prints the ids of the other children of `tapedeck`.
    private static let siblings = """
        import os

        def parent(process):
            with open(f"/proc/{process}/stat") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])

        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                if int(process) != os.getpid() and parent(process) == os.getppid(): print(process)
            except OSError:
                pass
        """

    @Test(arguments: [[], ["--no-local"]])
    func `the process that connects ends with the command, and is not there without local services`(
        options: [String]
    ) throws {
        let run = try Run(options) { _ in ["python3", "-c", Self.siblings] }
        let result = try run.end()
        #expect(result.exitCode == 0, "\(result.errorText)")
        let processes = result.outputText.split(separator: "\n")
        #expect(processes.count == (options.isEmpty ? 1 : 0))
        for process in processes { #expect(!FileManager.default.fileExists(atPath: "/proc/\(process)")) }
    }
}
