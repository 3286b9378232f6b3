import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Transfer.Plan {
    /// Returns how long nothing may come for a request.
    static func timeout(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> Duration {
        // A request that was given no time has Foundation's default, and then the configuration's counts.
        self.duration(
            request.timeoutInterval == 60 ? configuration.timeoutIntervalForRequest : request.timeoutInterval
        )
    }

    static func duration(_ seconds: TimeInterval) -> Duration {
        // Below what `Deadline` can count, and more than anybody waits. In this order no number at all becomes 0.
        .milliseconds(Int64(min(max(0, seconds), 1_000_000_000) * 1_000))
    }
}
