import TapedeckSessions

/// Streams of what happens.
enum EventRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/events") { call in
            _ = try call.query()
            return EventStream.response(
                to: call.request,
                DeckEvents(
                    sessions: call.deck.sessions,
                    heartbeat: call.service.configuration.heartbeat,
                    ending: call.service.longRequests.ending,
                    slot: try call.service.longRequests.enter()
                )
            )
        },
        ControlRoute(.get, "/v1/sessions/{id}/events") { call in
            let query = try call.query("after")
            let last = call.request["Last-Event-ID"].flatMap { Int($0) }
            return EventStream.response(
                to: call.request,
                SessionEvents(
                    session: try call.session(),
                    // A browser that reconnects sends its position, and still uses the old URL.
                    after: try last ?? query.number("after", in: 0...Int.max),
                    heartbeat: call.service.configuration.heartbeat,
                    ending: call.service.longRequests.ending,
                    slot: try call.service.longRequests.enter()
                )
            )
        },
    ]
}
