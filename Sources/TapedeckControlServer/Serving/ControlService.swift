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
    let routes: [ControlRoute]
    /// The media types of bodies that are accepted in addition to JSON, by path.
    let bodyTypes: [String: String]
    private let currentToken: Locked<String?>
    private let ownPort = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    init(configuration: ControlConfiguration, deck: ControlledDeck, routes: [ControlRoute], log: Logger) {
        self.configuration = configuration
        self.routes = routes
        self.bodyTypes = Dictionary(routes.compactMap { route in route.bodyType.map { (route.path, $0) } }) {
            first,
            _ in
            first
        }
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
}
