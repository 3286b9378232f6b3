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

        /// As shells do.
        var exitCode: Int32 {
            if case .notFound = self { 127 } else { 126 }
        }
    }

    let id: pid_t

    init(_ command: [String], environment: [String: String]) throws(Failure) {
        guard let name = command.first else { throw .notFound("") }
        var attributes = posix_spawnattr_t()
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

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var id: pid_t = 0
        InheritedFiles.keepOthers()
        let status = OpenFiles.withOriginal {
            posix_spawnp(&id, name, nil, &attributes, &arguments, &variables)
        }
        guard status == 0 else {
            throw status == ENOENT ? .notFound(name) : .notStarted(name, reason: String(cString: strerror(status)))
        }
        self.id = id
    }

    func send(_ signal: Int32) {
        kill(self.id, signal)
    }

    /// The exit code, as a shell would give it, once the child has ended; `nil` while it runs.
    func exitCode() -> Int32? {
        var status: Int32 = 0
        guard waitpid(self.id, &status, WNOHANG) == self.id else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
