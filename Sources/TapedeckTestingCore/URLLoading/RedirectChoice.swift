import Dispatch
import Foundation
import TapedeckControlClient
import TapedeckLocking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The decision about a redirect, for which a transfer's thread waits. The first one counts.
final class RedirectChoice: Sendable {
    enum Outcome {
        /// The request that follows; `nil`: none does, and the answer that redirects is the answer.
        case made(URLRequest?)
        case timedOut
    }

    private enum State {
        case open
        case made(URLRequest?)
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Locked(State.open)

    func give(_ request: URLRequest?) {
        let isFirst = self.state.withLock { state in
            guard case .open = state else { return false }
            state = .made(request)
            return true
        }
        if isFirst { self.semaphore.signal() }
    }

    /// Blocks. To be called once.
    func wait(until end: Deadline) -> Outcome {
        while self.semaphore.wait(timeout: .now() + .milliseconds(Int(end.milliseconds))) == .timedOut {
            if end.isOver { return .timedOut }
        }
        return self.state.withLock { state in if case .made(let request) = state { .made(request) } else { .timedOut } }
    }
}
