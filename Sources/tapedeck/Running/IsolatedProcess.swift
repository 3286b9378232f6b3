import CTapedeckIsolation
import TapedeckDeck
import TapedeckPlatform
import TapedeckProxy

/// A process in its own user, mount and network namespaces that waits to become a command.
///
/// It is this program, started again, because a process with several threads cannot have its own user namespace.
struct IsolatedProcess {
    /// The kernel does not let a command be isolated.
    struct Refusal: Error {
        /// The step that failed, such as "making namespaces".
        var step: String
        var error: Int32

        var message: String { "\(self.step): \(String(cString: strerror(self.error)))" }

        static let remedy = """
            in a container, give it --security-opt seccomp=unconfined --cap-add SYS_ADMIN --security-opt \
            apparmor=unconfined; on Ubuntu, sysctl kernel.apparmor_restrict_unprivileged_userns=0; elsewhere, \
            sysctl user.max_user_namespaces=10000; or leave out --isolate always
            """
    }

    /// The sockets of its network, for the deck to serve.
    let sockets: [IsolatedSocket]
    private let process: ChildProcess
    private let connection: Int32
    private let name: String

    /// Starts the process and waits until it is isolated.
    ///
    /// - Parameters:
    ///   - command: what it becomes when ``start()`` says so.
    ///   - environment: the command's.
    /// - Throws: ``Refusal``.
    init(
        _ command: [String],
        environment: [String: String],
        ports: IsolatedPorts,
        files: IsolationFiles
    ) throws(Refusal) {
        var ends: [Int32] = [-1, -1]
        let status = tapedeck_isolation_pair(&ends)
        guard status == 0 else { throw Refusal(step: "making a connection", error: status) }
        self.connection = ends[0]
        self.name = command.first ?? ""
        var arguments = ["/proc/self/exe", TAPEDECK_ISOLATION_ARGUMENT, String(ends[1])]
        for port in ports.origins { arguments += ["origin", String(port)] }
        for port in ports.loopback { arguments += [port.isIPv6 ? "loopback6" : "loopback", String(port.port)] }
        for cover in files.covers {
            arguments += [cover.addsToFolder ? "folder" : "file", cover.source, cover.target]
        }
        if ports.sharesListeners { arguments += ["share", "listeners"] }
        let process = try? ChildProcess(arguments + ["--"] + command, environment: environment, handle: ends[1])
        close(ends[1])
        guard let process else {
            close(ends[0])
            throw Refusal(step: "starting \(arguments[0])", error: ENOEXEC)
        }
        self.process = process
        var sockets: [IsolatedSocket] = []
        do throws(Refusal) {
            while let socket = try Self.nextSocket(ends[0]) { sockets.append(socket) }
        } catch {
            for socket in sockets { close(socket.descriptor) }
            close(ends[0])
            process.wait()
            throw error
        }
        self.sockets = sockets
    }

    /// Returns the next socket that the process sends; `nil` when it has sent all.
    private static func nextSocket(_ connection: Int32) throws(Refusal) -> IsolatedSocket? {
        var message = tapedeck_isolation_message()
        guard tapedeck_isolation_receive(connection, &message) == 1 else {
            throw Refusal(step: "waiting for the isolated process", error: ECONNRESET)
        }
        let value = Int(message.value)
        switch Int(message.kind) {
        case TAPEDECK_ISOLATION_ORIGIN:
            return IsolatedSocket(.origin(port: value), descriptor: message.descriptor)
        case TAPEDECK_ISOLATION_NAMES:
            let isDatagram = value == Int(SystemSocket.datagram)
            return IsolatedSocket(.names(isDatagram: isDatagram), descriptor: message.descriptor)
        case TAPEDECK_ISOLATION_LOOPBACK:
            return IsolatedSocket(.loopback(port: abs(value), isIPv6: value < 0), descriptor: message.descriptor)
        case TAPEDECK_ISOLATION_LISTENERS:
            return IsolatedSocket(.listing, descriptor: message.descriptor)
        case TAPEDECK_ISOLATION_CONNECTOR:
            return IsolatedSocket(.connector(process: message.value), descriptor: message.descriptor)
        case TAPEDECK_ISOLATION_REFUSED:
            let step = withUnsafeBytes(of: message.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw Refusal(step: step, error: message.value)
        default:
            return nil
        }
    }

    /// Has the process become the command. Returns it as soon as the command runs.
    func start() throws(ChildProcess.Failure) -> ChildProcess {
        defer { close(self.connection) }
        let go: [UInt8] = [1]
        _ = go.withUnsafeBytes { SystemSocket.send($0, to: self.connection) }
        var message = tapedeck_isolation_message()
        guard tapedeck_isolation_receive(self.connection, &message) == 1 else { return self.process }
        self.process.wait()
        throw .init(status: message.value, of: self.name)
    }

    /// Has the process end without becoming the command.
    func cancel() {
        close(self.connection)
        self.process.wait()
    }
}
