import Foundation
import TapedeckLocking
import TapedeckPlatform

/// A deck in a process of its own, which ends with this one.
///
/// The deck runs a command that ends when its standard input does, whose other end is this process alone; and a deck ends
/// with its command. So it also ends when this process crashes.
enum ChildDeck {
    struct Started: Sendable {
        var controlURL: String
        var token: String
    }

    #if os(macOS) || os(Linux)
    /// The other ends of the decks' standard inputs: who closes one ends that deck.
    private static let inputs = Locked<[FileHandle]>([])

    /// Starts a deck, and waits until it answers. Blocks.
    ///
    /// - Parameter path: of the program; `nil` looks for `tapedeck` in `PATH`.
    /// - Throws: ``TapedeckError``.
    static func start(_ path: String?) throws -> Started {
        let program = try self.program(path)
        let token = (0..<16).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "serve", "--host", "127.0.0.1", "--port", "0", "--control-port", "0", "--sessions", "required",
            // Sessions read and write the cassettes of this process's tests, wherever they are.
            "--absolute-paths",
            // Somebody may have stopped at a breakpoint and gone home.
            "--session-ttl", "24h", "--allow-unused", "--", "/bin/sh", "-c",
            #"echo "$TAPEDECK_URL"; exec cat >/dev/null"#,
        ]
        var environment = ProcessInfo.processInfo.environment
        for name in ["TAPEDECK_URL", "TAPEDECK_PROXY", "TAPEDECK_MODE"] { environment[name] = nil }
        environment["TAPEDECK_TOKEN"] = token
        process.environment = environment
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        // Another child of this process must not keep the deck alive.
        for pipe in [input, output, errors] {
            for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        do {
            try process.run()
        } catch {
            throw TapedeckError(.noDeck, "the deck \(program) cannot be started: \(error)")
        }
        let log = DeckLog(errors.fileHandleForReading)
        try OwnThread.start { log.read() }
        let url = self.firstLine(output.fileHandleForReading)
        guard url.hasPrefix("http://") else {
            process.waitUntilExit()
            throw TapedeckError(
                .noDeck,
                "the deck \(program) ended with \(process.terminationStatus) before it answered:\n\(log.beginning)"
            )
        }
        log.passOn()
        self.inputs.withLock { $0.append(input.fileHandleForWriting) }
        return Started(controlURL: url, token: token)
    }

    private static func program(_ path: String?) throws(TapedeckError) -> String {
        let name = path ?? "tapedeck"
        if name.contains("/") {
            guard FileManager.default.isExecutableFile(atPath: name) else {
                throw TapedeckError(
                    .noDeck,
                    "there is no program \(name); TAPEDECK_BIN or `deck: .childProcess(path:)` names it"
                )
            }
            return URL(fileURLWithPath: name).path
        }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else {
            throw TapedeckError(
                .noDeck,
                "there is no deck: put the program `tapedeck` into PATH or name it with TAPEDECK_BIN, name a running deck with "
                    + "TAPEDECK_URL, or have the test target depend on the product TapedeckEmbedded, which links one"
            )
        }
        return found
    }

    /// - Returns: what there was before the end, where it is no whole line.
    private static func firstLine(_ handle: FileHandle) -> String {
        var line: [UInt8] = []
        while let byte = (try? handle.read(upToCount: 1))?.first, byte != 0x0A { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// The standard error of a deck.
    private final class DeckLog: Sendable {
        private struct State {
            var beginning = Data()
            var passesOn = false
        }

        private let handle: FileHandle
        private let state = Locked(State())
        private let done = Locked(false)

        init(_ handle: FileHandle) {
            self.handle = handle
        }

        /// Blocks until the deck has ended.
        func read() {
            while case let data = self.handle.availableData, !data.isEmpty {
                let passesOn = self.state.withLock { state in
                    if !state.passesOn { state.beginning += data.prefix(max(0, 8_192 - state.beginning.count)) }
                    return state.passesOn
                }
                if passesOn { FileHandle.standardError.write(data) }
            }
            self.done.withLock { $0 = true }
        }

        /// From now on what comes is this process's to say: that a recording cannot be saved, say.
        func passOn() {
            self.state.withLock { $0.passesOn = true }
        }

        /// The output before ``passOn()``, of a deck that has ended.
        var beginning: String {
            // Its end is close, as the process has ended.
            for _ in 0..<100 where !self.done.withLock({ $0 }) { usleep(10_000) }
            return self.state.withLock { String(decoding: $0.beginning, as: UTF8.self) }
        }
    }
    #else
    static func start(_ path: String?) throws -> Started {
        throw TapedeckError(
            .noDeck,
            "there are no child processes on this system: name a deck that runs elsewhere with TAPEDECK_URL"
        )
    }
    #endif
}
