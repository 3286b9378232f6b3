import Dispatch
import Foundation
import TapedeckLocking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Has the requests of `URLSession.shared` go to the session of one test, for as long as this value is there. Tests that
/// want it wait for each other.
final class SharedSessionCatch: Sendable {
    private struct State {
        /// Those of one test: an inner scope's is behind that of the outer one.
        var holders: [(id: Int, route: ProxyRoute)] = []
        var waiting: [DispatchSemaphore] = []
        var lastID = 0
    }

    private static let state = Locked(State())
    private static let isRegistered = Locked(false)

    private let id: Int
    /// The cookies, credentials and cache of the process before this test.
    private let before: SharedStorages

    /// The route of a request of `URLSession.shared`; `nil` to bypass the deck.
    static var route: ProxyRoute? { self.state.withLock { $0.holders.last?.route } }

    /// Waits until no other test has it. Blocks.
    ///
    /// - Parameter outer: that of the scope around this one, which it takes the place of.
    /// - Throws: ``TapedeckError`` where it cannot be.
    init(_ route: ProxyRoute, inside outer: SharedSessionCatch?) throws {
        Self.register()
        #if canImport(FoundationNetworking)
        // A session looks at what is registered when it is made.
        let classes = URLSession.shared.configuration.protocolClasses ?? []
        guard classes.contains(where: { $0 == SharedSessionURLProtocol.self }) else {
            throw TapedeckError(
                .badOptions,
                "URLSession.shared was used before Tapedeck could register with it; have the test target depend on "
                    + "TapedeckTesting, which does so when the process starts, or give the code deck.urlSession()"
            )
        }
        #endif
        while true {
            let turn = Self.state.withLock { state -> (id: Int?, semaphore: DispatchSemaphore?) in
                let isInside = outer.map { outer in state.holders.contains { $0.id == outer.id } } ?? false
                let isMine = state.holders.isEmpty || isInside
                guard isMine else {
                    let semaphore = DispatchSemaphore(value: 0)
                    state.waiting.append(semaphore)
                    return (nil, semaphore)
                }
                state.lastID += 1
                state.holders.append((state.lastID, route))
                return (state.lastID, nil)
            }
            if let id = turn.id {
                self.id = id
                self.before = SharedStorages()
                return
            }
            turn.semaphore?.wait()
        }
    }

    deinit {
        // Before another test has its turn.
        self.before.restore()
        let next = Self.state.withLock { [id] state -> DispatchSemaphore? in
            state.holders.removeAll { $0.id == id }
            return state.holders.isEmpty && !state.waiting.isEmpty ? state.waiting.removeFirst() : nil
        }
        next?.signal()
    }

    /// Makes `URLSession.shared` ask the protocol, which lets all requests pass while no test wants them. It counts only
    /// before the first use of `URLSession.shared`.
    static func register() {
        self.isRegistered.withLock { isRegistered in
            if !isRegistered { _ = URLProtocol.registerClass(SharedSessionURLProtocol.self) }
            isRegistered = true
        }
    }
}

/// Takes requests of `URLSession.shared` to the deck while a test wants them.
final class SharedSessionURLProtocol: TapedeckURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        SharedSessionCatch.route != nil && super.canInit(with: request)
    }

    #if canImport(FoundationNetworking)
    override func route(_ configuration: URLSessionConfiguration) -> ProxyRoute? { SharedSessionCatch.route }
    #else
    override func destination() -> (route: ProxyRoute, configuration: URLSessionConfiguration)? {
        SharedSessionCatch.route.map { ($0, URLSession.shared.configuration) }
    }
    #endif
}

extension Tapedeck {
    /// Has `URLSession.shared` ask before its first use whether a test wants its requests; called when the process starts.
    package static func registerWithSharedSession() {
        SharedSessionCatch.register()
    }
}
