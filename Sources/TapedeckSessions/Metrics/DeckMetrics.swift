package import NIOCore
import Synchronization
import TapedeckLocking

/// The proxy's counters for monitoring. They have no session ids, because there are too many.
package final class DeckMetrics: Sendable {
    private let loops = Locked<[LoopMetrics]>([])
    private let openUpstreams = Atomic<Int>(0)

    package init() {}

    /// Counters for one event loop.
    package func makeLoop() -> LoopMetrics {
        let metrics = LoopMetrics()
        self.loops.withLock { $0.append(metrics) }
        return metrics
    }

    /// Counts a connection to an origin or a proxy for as long as it is open.
    package func noteUpstream(_ channel: any Channel) {
        self.openUpstreams.wrappingAdd(1, ordering: .relaxed)
        channel.closeFuture.whenComplete { _ in self.openUpstreams.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Connections to origins and proxies that are open now.
    package var upstreamConnections: Int { self.openUpstreams.load(ordering: .relaxed) }

    /// The totals of all event loops. Events during the call may be counted in one number and not in another.
    package var totals: Totals { Totals(self.loops.withLock { $0 }) }

    /// The sum over event loops.
    package struct Totals {
        private let loops: [LoopMetrics]

        init(_ loops: [LoopMetrics]) {
            self.loops = loops
        }

        package func requests(_ mode: LoopMetrics.Mode, _ outcome: LoopMetrics.Outcome) -> Int {
            self.loops.reduce(0) { $0 + $1.requests(mode, outcome) }
        }

        /// Requests of each bucket alone.
        package func durations(_ outcome: LoopMetrics.Outcome) -> [Int] {
            self.loops.map { $0.durations(outcome) }
                .reduce(Array(repeating: 0, count: DurationBuckets.count)) { sum, next in zip(sum, next).map(+) }
        }

        package func microseconds(_ outcome: LoopMetrics.Outcome) -> Int {
            self.loops.reduce(0) { $0 + $1.microseconds(outcome) }
        }
    }
}
