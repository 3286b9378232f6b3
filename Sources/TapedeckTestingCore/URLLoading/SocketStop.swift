import TapedeckLocking
import TapedeckPlatform

/// Ends what one thread waits for, on its socket or elsewhere, from another thread.
final class SocketStop: Sendable {
    private struct State {
        var isStopped = false
        /// The socket that is in use. Whoever closes it takes it out first, so it is never another one's number.
        var descriptor: Int32?
        /// Ends what is waited for elsewhere than on the socket.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var isStopped: Bool { self.state.withLock { $0.isStopped } }

    /// Has what waits, now or later, find its end.
    func stop() {
        let wake = self.state.withLock { state in
            state.isStopped = true
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }

    /// Calls `wake` when it stops, or now where it has; in place of what was to be called before.
    func whenStopped(_ wake: @escaping @Sendable () -> Void) {
        let isStopped = self.state.withLock { state in
            state.wake = state.isStopped ? nil : wake
            return state.isStopped
        }
        if isStopped { wake() }
    }

    /// Takes charge of a socket, until ``release()``.
    ///
    /// - Returns: whether it may be used.
    func take(_ descriptor: Int32) -> Bool {
        self.state.withLock { state in
            state.descriptor = state.isStopped ? nil : descriptor
            return !state.isStopped
        }
    }

    /// To be called before the socket is closed.
    func release() {
        self.state.withLock { $0.descriptor = nil }
    }
}
