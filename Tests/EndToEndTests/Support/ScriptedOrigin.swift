import Foundation

extension TestFolder {
    /// Starts an origin in Python that prints its port.
    func startOrigin(_ script: String) throws -> (program: Program, url: String) {
        let program = try self.start(Program.python + ["-c", script])
        let port = try program.waitForOutput("the origin's port") { $0.hasSuffix("\n") ? $0 : nil }
        return (program, "http://127.0.0.1:\(port.trimmingCharacters(in: .whitespacesAndNewlines))")
    }
}

extension Program {
    /// Ends an origin, so that whatever comes now comes off the tape.
    func stopOrigin() throws {
        self.send(SIGKILL)
        _ = try self.result()
    }
}
