import TapedeckLocking
import TapedeckPlatform

/// Ends what one thread waits for, on its socket or elsewhere, from another thread.
final class SocketStop: Sendable {
    private struct State {
        var isStopped = false
        /// The socket in use. It is removed here before it is closed, so it is never the number of another one.
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

    /// Calls `wake` when it stops, or at once if it has stopped; replaces the previous `wake`.
    func whenStopped(_ wake: @escaping @Sendable () -> Void) {
        let isStopped = self.state.withLock { state in
            state.wake = state.isStopped ? nil : wake
            return state.isStopped
        }
        if isStopped { wake() }
    }

    /// Closes a socket on a stop, until ``release()``.
    ///
    /// - Returns: true if it may be used.
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
