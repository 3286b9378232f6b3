import TapedeckLocking

/// The requests of a session that are held, in the order in which they came.
package final class ParkedRequests: Sendable {
    private struct State {
        var held: [(request: ParkedRequest, version: Int)] = []
        /// The number of requests so far.
        var version = 0
        var isOver = false
    }

    /// Some of them at one moment.
    package struct View: Sendable {
        package var held: [(request: ParkedRequest, version: Int)]
        /// The version of the list. A caller that passes it to the next call misses no request and gets none twice.
        package var version: Int
    }

    private let state = Locked(State())

    package var isEmpty: Bool { self.state.withLock { $0.held.isEmpty } }

    package var count: Int { self.state.withLock { $0.held.count } }

    /// Returns the requests that came after a version, the oldest first.
    ///
    /// - Parameter limit: their maximum number.
    package func view(after version: Int, limit: Int) -> View {
        self.state.withLock { state in
            let later = state.held.drop { $0.version <= version }
            let shown = Array(later.prefix(limit))
            return View(
                held: shown,
                version: shown.count < later.count ? shown.last?.version ?? version : state.version
            )
        }
    }

    /// The request of that number, if it is held.
    func request(_ number: Int) -> ParkedRequest? {
        self.state.withLock { state in state.held.first { $0.request.number == number }?.request }
    }

    /// Returns `false`, and does not keep it, when the session is over.
    func add(_ request: ParkedRequest) -> Bool {
        self.state.withLock { state in
            guard !state.isOver else { return false }
            state.version += 1
            state.held.append((request, state.version))
            return true
        }
    }

    /// Removes the request with that number, to release it; `nil` if it is not held, or was already released.
    func take(_ number: Int) -> ParkedRequest? {
        self.state.withLock { state in
            state.held.firstIndex { $0.request.number == number }.map { state.held.remove(at: $0).request }
        }
    }

    /// Removes all requests and accepts no more.
    func end() -> [ParkedRequest] {
        self.state.withLock { state in
            state.isOver = true
            defer { state.held = [] }
            return state.held.map(\.request)
        }
    }
}
