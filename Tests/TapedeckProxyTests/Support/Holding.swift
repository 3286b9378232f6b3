import TapedeckCore
import TapedeckSessions
import Testing

/// The common parts of tests with held requests.
enum Holding {
    static let path = "/a"

    /// A set that holds all requests for one path, or for all.
    static func holder(_ path: String? = Self.path) throws -> ResponseSet {
        let url = try path.map { URLMatcher.exact(try #require(AbsoluteURL("\(RunningProxy.origin)\($0)"))) }
        return ResponseSet(
            name: "holder",
            request: RequestMatcher(url: url ?? .any),
            variants: [Variant(name: "stub", behaviour: Behaviour(.hold))]
        )
    }

    /// A proxy that holds requests for ``path``, over a tape that answers them one after the other.
    static func start(_ behaviour: Behaviour? = nil) async throws -> RunningProxy {
        let takes = ["one", "two"].map { Take(headers: [HeaderField("X-A", "b")], body: RunningProxy.text($0)) }
        let cassette = try RunningProxy.cassette([
            Self.path: behaviour ?? Behaviour(.takes(takes)), "/b": Behaviour(.takes(takes)),
        ])
        let proxy = try await RunningProxy.start(cassette)
        proxy.session.add(try Self.holder())
        return proxy
    }

    /// Does something with a proxy, which is stopped then.
    static func use(_ proxy: RunningProxy, _ work: (RunningProxy) async throws -> Void) async throws {
        do {
            try await work(proxy)
            try await proxy.stop()
        } catch {
            try? await proxy.stop()
            throw error
        }
    }

    static func post(_ body: String, _ path: String = Self.path) -> String {
        "POST \(RunningProxy.origin)\(path) HTTP/1.1\r\nHost: api.example.test\r\nX-Client: c\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Waits until that many requests are held.
    @discardableResult
    static func held(_ session: Session, _ count: Int = 1) async -> [ParkedRequest] {
        while true {
            let version = session.changes.version
            let held = session.held.view(after: 0, limit: .max).held.map(\.request)
            if held.count == count { return held }
            await session.changes.wait(after: version)
        }
    }

    /// The journal's entry of that number, once it has ended.
    static func ended(_ session: Session, _ number: Int) async -> JournalEntry? {
        while true {
            let version = session.changes.version
            let entry = session.journal.entry(number)
            if entry?.ending != nil || session.changes.isClosed { return entry }
            await session.changes.wait(after: version)
        }
    }
}
