import Hummingbird
import Logging
import Synchronization
import TapedeckLocking

/// The state that all requests to the control API share.
final class ControlService: Sendable {
    let configuration: ControlConfiguration
    let deck: ControlledDeck
    let longRequests: LongRequests
    /// The running imports: each takes several times its size of memory.
    let imports = LongRequests(limit: 1)
    let log: Logger
    private let currentToken: Locked<String?>
    private let ownPort = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    init(configuration: ControlConfiguration, deck: ControlledDeck, log: Logger) {
        self.configuration = configuration
        self.currentToken = Locked(configuration.token)
        self.deck = deck
        self.longRequests = LongRequests(limit: configuration.longRequestLimit)
        self.log = log
    }

    /// The port it listens on; 0 before it does.
    var port: Int { self.ownPort.load(ordering: .relaxed) }

    /// The required token, if any.
    var token: String? {
        get { self.currentToken.withLock { $0 } }
        set { self.currentToken.withLock { $0 = newValue } }
    }

    var isStopping: Bool { self.stopping.load(ordering: .relaxed) }

    func listen(on port: Int) {
        self.ownPort.store(port, ordering: .relaxed)
    }

    func stop() {
        self.stopping.store(true, ordering: .relaxed)
        self.longRequests.end()
    }

    /// The routes, behind the rules that apply to each.
    func router(_ routes: [ControlRoute]) -> Router<ControlContext> {
        let router = Router(context: ControlContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ProblemMiddleware(routes: routes, log: self.log))
        router.add(middleware: AccessMiddleware(service: self, routes: routes))
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.answer(Call(request: request, context: context, service: self))
            }
        }
        return router
    }
}

/// The context that Hummingbird requires of a request.
struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
    }
}
