import Hummingbird

/// What monitoring asks for.
enum MetricsRoutes {
    static let all: [Route] = [
        Route(.get, "/metrics") { call in
            let metrics = call.deck.metrics
            // Reads files of /proc, and takes the lock of every session in turn.
            let text = try await call.withFiles { metrics() }
            return Reply.text(text, Self.mediaType)
        }
    ]

    /// Of the text format of Prometheus.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
}
