import Foundation
import Synchronization
import Testing

/// A process that a test started: its output is gathered as it comes, so that a test can wait for a line of it.
///
/// Started with `posix_spawn` rather than Foundation's `Process`, to see the signal a process was ended by, and to hand
/// it no descriptor but the three.
final class Program: Sendable {
    /// The result of a process that has ended.
    struct Result: Sendable {
        /// As a shell would give it: 128 and the signal's number for one that was killed.
        var exitCode: Int32
        var output: Data
        var errors: Data

        var outputText: String { String(decoding: self.output, as: UTF8.self) }
        var errorText: String { String(decoding: self.errors, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private struct State {
        var output = Data()
        var errors = Data()
        var openStreams = 2
        var exitCode: Int32?

        var hasEnded: Bool { self.openStreams == 0 && self.exitCode != nil }
    }

    /// Only so that a test that hangs fails.
    static let deadline: TimeInterval = 60

    /// The start of a command that runs a script which needs only the standard library: without other packages Python
    /// starts sooner.
    static let python = ["python3", "-S"]

    let id: pid_t
    private let name: String
    private let input: Mutex<Int32>
    private let state = Mutex(State())
    private let changed = NSCondition()

    /// - Parameters:
    ///   - environment: the whole of it.
    ///   - input: what standard input holds; `nil` leaves it open until ``closeInput()``.
    init(
        _ command: [String],
        environment: [String: String],
        directory: String,
        input: Data? = Data()
    ) throws {
        // A client that goes away early must not take the tests with it.
        signal(SIGPIPE, SIG_IGN)
        let pipes = try (input: Self.pipe(), output: Self.pipe(), errors: Self.pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes.input.reading, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes.output.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, pipes.errors.writing, 2)
        // Only these: a surviving program would keep the sockets of concurrent tests open, whose clients then wait for
        // an end that never comes.
        try Self.closeOthers(in: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        try Self.change(to: directory, in: &actions)
        let program = Self.find(command[0], along: environment["PATH"] ?? "")
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var id: pid_t = 0
        Self.starting.lock()
        let status = posix_spawn(&id, program, &actions, &attributes, &arguments, &variables)
        Self.starting.unlock()
        close(pipes.input.reading)
        close(pipes.output.writing)
        close(pipes.errors.writing)
        guard status == 0 else {
            close(pipes.input.writing)
            close(pipes.output.reading)
            close(pipes.errors.reading)
            throw Failure(description: "cannot run \(command[0]): \(String(cString: strerror(status)))")
        }
        self.id = id
        self.name = command.joined(separator: " ")
        self.input = Mutex(pipes.input.writing)
        self.gather(pipes.output.reading) { $0.output.append($1) }
        self.gather(pipes.errors.reading) { $0.errors.append($1) }
        self.waitInBackground()
        if let input {
            self.write(input)
            self.closeInput()
        }
    }

    /// A program started between the creation of a pipe and its closing at `exec` inherits the ends, and the reader of
    /// that pipe then waits for both programs.
    private static let starting = NSLock()

    /// Has a program begin with its input and outputs alone. A function of glibc's own (2.34), which Swift does not show.
    private static func closeOthers(in actions: inout posix_spawn_file_actions_t) throws {
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
            unsafeBitCast(function, to: CloseFrom.self)(&actions, 3) == 0
        else { throw Failure(description: "cannot keep open files from a program") }
    }

    /// Has a program begin in a folder. Likewise of glibc's own (2.29).
    private static func change(to directory: String, in actions: inout posix_spawn_file_actions_t) throws {
        typealias ChangeDirectory =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
        guard let function = dlsym(nil, "posix_spawn_file_actions_addchdir_np"),
            unsafeBitCast(function, to: ChangeDirectory.self)(&actions, directory) == 0
        else { throw Failure(description: "cannot start a program in \(directory)") }
    }

    /// The path of a program. `posix_spawnp` would look along the path of the tests.
    private static func find(_ name: String, along path: String) -> String {
        guard !name.contains("/") else { return name }
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 } ?? name
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        self.starting.lock()
        defer { self.starting.unlock() }
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "no pipe left") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func gather(_ descriptor: Int32, _ add: @escaping @Sendable (inout State, Data) -> Void) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let data = Data(buffer[..<count])
                self.change { add(&$0, data) }
            }
            close(descriptor)
            self.change { $0.openStreams -= 1 }
        }
    }

    private func waitInBackground() {
        let id = self.id
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
            self.change { $0.exitCode = code }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        self.changed.lock()
        self.state.withLock { body(&$0) }
        self.changed.broadcast()
        self.changed.unlock()
    }

    // MARK: Talking to it

    func write(_ data: Data) {
        self.input.withLock { descriptor in
            guard descriptor >= 0 else { return }
            data.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
                    guard count > 0 || errno == EINTR else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[max(0, count)...])
                }
            }
        }
    }

    func closeInput() {
        self.input.withLock { descriptor in
            guard descriptor >= 0 else { return }
            close(descriptor)
            descriptor = -1
        }
    }

    /// Sends a signal, unless the process has already ended.
    func send(_ signal: Int32) {
        self.changed.lock()
        defer { self.changed.unlock() }
        if self.state.withLock({ $0.exitCode == nil }) { kill(self.id, signal) }
    }

    var hasEnded: Bool { self.state.withLock { $0.hasEnded } }
    var errorsSoFar: String { self.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    // MARK: Waiting

    /// Waits until standard error has what `find` looks for in it.
    func waitForErrors<Value>(_ what: String, _ find: (String) -> Value?) throws -> Value {
        try self.wait(for: what) { find(String(decoding: $0.errors, as: UTF8.self)) }
    }

    /// Waits until standard output has what `find` looks for in it.
    @discardableResult
    func waitForOutput<Value>(_ what: String, _ find: (String) -> Value?) throws -> Value {
        try self.wait(for: what) { find(String(decoding: $0.output, as: UTF8.self)) }
    }

    /// Waits for the end.
    ///
    /// - Parameter time: in seconds, for a program that takes long on purpose.
    @discardableResult
    func result(within time: TimeInterval = Program.deadline) throws -> Result {
        try self.wait(for: "its end", evenAfterEnd: true, within: time) { state in
            guard state.hasEnded, let exitCode = state.exitCode else { return nil }
            return Result(exitCode: exitCode, output: state.output, errors: state.errors)
        }
    }

    private func wait<Value>(
        for what: String,
        evenAfterEnd: Bool = false,
        within time: TimeInterval = Program.deadline,
        _ find: (State) -> Value?
    ) throws -> Value {
        let end = Date(timeIntervalSinceNow: time)
        self.changed.lock()
        defer { self.changed.unlock() }
        while true {
            let state = self.state.withLock { $0 }
            if let value = find(state) { return value }
            if state.hasEnded, !evenAfterEnd {
                throw Failure(description: "\(self.name) ended before \(what):\n\(self.errorsSoFar)")
            }
            guard self.changed.wait(until: end) else {
                kill(self.id, SIGKILL)
                throw Failure(description: "\(self.name): no \(what) in time:\n\(self.errorsSoFar)")
            }
        }
    }
}
