import Foundation

struct ProgramError: Error, CustomStringConvertible {
    var description: String
}

private let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// A folder for one test, with a certificate for its origin.
final class Folder {
    let path = NSTemporaryDirectory() + "tapedeck-ahc-\(UUID().uuidString)"

    var originCertificate: String { self.path + "/origin.pem" }
    var originKey: String { self.path + "/origin.key" }

    init() throws {
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            "-keyout", self.originKey, "-out", self.originCertificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw ProgramError(description: "openssl req failed") }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}

/// The live API. Ends when its standard input does.
final class Origin {
    private let process = Process()
    private let input = Pipe()
    let http: Int
    let https: Int

    init(_ folder: Folder) throws {
        let output = Pipe()
        self.process.executableURL = URL(filePath: "/usr/bin/env")
        self.process.arguments = [
            "python3", repository.appending(path: "Tests/EndToEndTests/origin.py").path,
            "--cert", folder.originCertificate, "--key", folder.originKey,
        ]
        self.process.standardInput = self.input
        self.process.standardOutput = output
        try self.process.run()
        let line = try readLine(from: output.fileHandleForReading) { $0.hasPrefix("{") }
        guard let ports = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let http = ports["http"] as? Int, let https = ports["https"] as? Int
        else { throw ProgramError(description: "the origin said \(line)") }
        self.http = http
        self.https = https
    }

    func stop() {
        try? self.input.fileHandleForWriting.close()
        self.process.waitUntilExit()
    }

    deinit {
        if self.process.isRunning { self.process.terminate() }
    }
}

/// A deck that serves on a free port.
final class Deck {
    private let process = Process()
    private let errors = Pipe()
    let port: Int
    let certificate: String

    init(_ folder: Folder, _ arguments: [String]) throws {
        let program =
            ProcessInfo.processInfo.environment["TAPEDECK"] ?? repository.appending(path: ".build/debug/tapedeck").path
        self.certificate = folder.path + "/ca/ca.pem"
        self.process.executableURL = URL(filePath: program)
        self.process.arguments = arguments + ["--port", "0", "--cassettes", folder.path]
        var environment = ProcessInfo.processInfo.environment
        environment["TAPEDECK_CA_DIR"] = folder.path + "/ca"
        self.process.environment = environment
        self.process.standardError = self.errors
        try self.process.run()
        let line = try readLine(from: self.errors.fileHandleForReading) { $0.contains(" at http://127.0.0.1:") }
        let digits = line.components(separatedBy: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw ProgramError(description: line) }
        self.port = port
    }

    /// Interrupts the deck and returns its summary.
    func stop() throws -> String {
        self.process.interrupt()
        let rest = try self.errors.fileHandleForReading.readToEnd() ?? Data()
        self.process.waitUntilExit()
        let text = String(decoding: rest, as: UTF8.self)
        guard self.process.terminationStatus == 0 else { throw ProgramError(description: text) }
        return text
    }

    deinit {
        if self.process.isRunning { self.process.terminate() }
    }
}

/// The first line that `isWanted`, read byte by byte so that nothing behind it is lost.
private func readLine(from handle: FileHandle, isWanted: (String) -> Bool) throws -> String {
    var line = Data()
    while let byte = try handle.read(upToCount: 1), let value = byte.first {
        guard value == 0x0A else {
            line.append(value)
            continue
        }
        let text = String(decoding: line, as: UTF8.self)
        if isWanted(text) { return text }
        line = Data()
    }
    throw ProgramError(description: "the program ended: \(String(decoding: line, as: UTF8.self))")
}
