import TapedeckDeck
import TapedeckPlatform

/// The command that runs through the deck. It shares the terminal and the process group, so that job control works
/// as if Tapedeck were not there.
struct ChildProcess {
    enum Failure: Error {
        case notFound(String)
        case notStarted(String, reason: String)

        var message: String {
            switch self {
            case .notFound(let name): "cannot run \(name): there is no such command"
            case .notStarted(let name, let reason): "cannot run \(name): \(reason)"
            }
        }

        /// - Parameter status: the error number of starting the command.
        init(status: Int32, of name: String) {
            self = status == ENOENT ? .notFound(name) : .notStarted(name, reason: String(cString: strerror(status)))
        }

        /// As shells do.
        var exitCode: Int32 {
            if case .notFound = self { 127 } else { 126 }
        }
    }

    let id: pid_t

    /// - Parameters:
    ///   - handle: a descriptor of this process that the child has, too.
    ///   - files: the paths of files for the child's output and errors, instead of the terminal.
    init(
        _ command: [String],
        environment: [String: String],
        handle: Int32? = nil,
        files: (output: String, errors: String)? = nil
    ) throws(Failure) {
        guard let name = command.first else { throw .notFound("") }
        var attributes = SystemSpawn.attributes
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child starts with the signals as a shell would have left them, not as this process has set them.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = Signals.set
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var actions = SystemSpawn.fileActions
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Onto itself: then it stays open in the child.
        if let handle { posix_spawn_file_actions_adddup2(&actions, handle, handle) }
        if let files {
            let mode = O_WRONLY | O_CREAT | O_TRUNC
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files.output, mode, 0o600)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files.errors, mode, 0o600)
        }

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var id: pid_t = 0
        InheritedFiles.keepOthers()
        let status = OpenFiles.withOriginal {
            posix_spawnp(&id, name, &actions, &attributes, &arguments, &variables)
        }
        guard status == 0 else { throw Failure(status: status, of: name) }
        self.id = id
    }

    func send(_ signal: Int32) {
        kill(self.id, signal)
    }

    /// Waits for a child that is not the command, or has not become it. Returns its exit code.
    @discardableResult func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(self.id, &status, 0) < 0, errno == EINTR {}
        return Self.exitCode(status)
    }

    /// The exit code, as a shell would give it, once the child has ended; `nil` while it runs.
    func exitCode() -> Int32? {
        var status: Int32 = 0
        guard waitpid(self.id, &status, WNOHANG) == self.id else { return nil }
        return Self.exitCode(status)
    }

    private static func exitCode(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}

/// The files that this process was started with. A command that it runs gets those and no others: one that lives on when the
/// deck has stopped would keep its ports.
enum InheritedFiles {
    /// No descriptor from here on is looked at: each takes the lowest free number, and a deck that just starts has few.
    private static let limit: Int32 = 1_024
    private static let descriptors = Set((3..<limit).filter { fcntl($0, F_GETFD) >= 0 })

    /// Remembers those that are open. To be called before anything is opened.
    static func note() {
        _ = self.descriptors
    }

    /// Keeps all others from programs that are started from here on.
    static func keepOthers() {
        for descriptor in 3..<self.limit where !self.descriptors.contains(descriptor) {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        }
    }
}
