import TapedeckControlClient
import TapedeckLocking
import TapedeckPlatform

extension TapedeckScope {
    /// The time that a cancelled body has to end by itself, in seconds.
    private static let grace: UInt32 = 5

    /// Runs the body of a test. If it is cancelled and still does not end, as when it waits for something that never comes,
    /// prints its traffic: at its end, which never comes either, it would be too late.
    ///
    /// - Parameters:
    ///   - pause: waits for the body to end; blocks.
    ///   - show: takes the traffic.
    package static func watching<Value>(
        _ deck: Tapedeck,
        pause: @escaping @Sendable () -> Void = { sleep(Self.grace) },
        show: @escaping @Sendable (String) -> Void = { TestIssue.attach($0, name: "tapedeck.txt") },
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        return try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            try? OwnThread.start {
                pause()
                guard !isOver.withLock({ $0 }), let traffic = try? deck.traffic() else { return }
                show(traffic)
            }
        }
    }
}

extension Tapedeck {
    /// The session and its requests so far, for a test that failed. Blocks.
    func traffic() throws -> String {
        let exchanges = try self.session.exchanges(bodies: false)
        return "session \(self.name), \(self.modeText), seed \(self.seed)" + self.seen(exchanges)
    }
}
