import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The deck itself: is it well, what is it, what must clients trust.
enum DeckRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/health") { _ in try Reply.json(HealthModel(status: "ok")) },
        ControlRoute(.get, "/v1/ready") { call in
            let isStopping = call.service.isStopping
            return try Reply.json(
                HealthModel(status: isStopping ? "stopping" : "ok"),
                status: isStopping ? 503 : 200
            )
        },
        ControlRoute(.get, "/v1/version") { call in try Reply.json(VersionModel(version: call.deck.version)) },
        ControlRoute(.get, "/v1/deck") { call in try Reply.json(Self.deck(call)) },
        ControlRoute(.get, "/v1/ca.pem") { Self.authorityPEM($0) },
        ControlRoute(.get, "/v1/ca.der") { Self.authorityDER($0) },
    ]

    private static func deck(_ call: Call) throws -> DeckModel {
        let sessions = call.deck.sessions
        let usage = sessions.usageNow
        var model = DeckModel(
            version: call.deck.version,
            name: sessions.configuration.deckName,
            mode: sessions.default?.mode.rawValue,
            // As the client calls them: through a tunnel or in a container they are not what the deck would say.
            proxyURL: PageRoutes.proxyURL(call.deck.proxyURL, host: call.request.host),
            controlURL: "http://\(call.request.host ?? "127.0.0.1:\(call.service.port)")",
            reverse: call.deck.reverse,
            requiresSession: sessions.default == nil,
            allowsDialling: sessions.configuration.allowsDialling,
            takesPaths: sessions.library.takesPaths ? true : nil,
            sessions: sessions.count
        )
        model.inUse = DeckModel.InUse(
            connections: usage.connections,
            requests: usage.requests,
            disk: usage.disk,
            files: usage.files
        )
        return model
    }

    static func authorityPEM(_ call: Call) -> Response {
        self.download(Array(call.deck.authorityPEM.utf8), "application/x-pem-file", "tapedeck-ca.pem")
    }

    static func authorityDER(_ call: Call) -> Response {
        self.download(call.deck.authorityDER, "application/x-x509-ca-cert", "tapedeck-ca.der")
    }

    private static func download(_ bytes: [UInt8], _ mediaType: String, _ name: String) -> Response {
        var response = Reply.bytes(bytes, mediaType)
        response["Content-Disposition"] = "attachment; filename=\"\(name)\""
        return response
    }
}

/// The route that monitoring reads.
enum MetricsRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/metrics") { call in
            let metrics = call.deck.metrics
            // Reads files of /proc, and takes the lock of every session in turn.
            let text = try await call.withFiles { metrics() }
            return Reply.text(text, Self.mediaType)
        }
    ]

    /// The Prometheus text format.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
}
