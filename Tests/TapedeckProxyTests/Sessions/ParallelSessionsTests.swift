import TapedeckCore
import TapedeckSessions
import Testing

/// Many sessions at once through one port.
@Suite struct ParallelSessionsTests {
    @Test func parallelSessionsGetOnlyTheirOwnAnswers() async throws {
        let proxy = try await SharedProxy.start(loops: 2)
        let sessions = try (0..<40).map { try proxy.session("answer of \($0)") }
        let wrong = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (number, session) in sessions.enumerated() {
                tasks.addTask { try await Self.wrongAnswers(proxy, session, "answer of \(number)", way: number % 4) }
            }
            return try await tasks.reduce(0, +)
        }
        #expect(wrong == 0)
        for session in sessions {
            #expect(session.report().played == 25)
            #expect(session.journal.view().seen == 25)
        }
        #expect(proxy.sessions.default?.report().played == 0)
        try await proxy.stop()
    }

    private static func wrongAnswers(
        _ proxy: SharedProxy,
        _ session: Session,
        _ expected: String,
        way: Int
    ) async throws -> Int {
        let client = try await proxy.connect()
        var request = SharedProxy.get("/a")
        switch way {
        case 0: request = SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key))
        case 1: request = SharedProxy.get(SharedProxy.url, SharedProxy.credentials(session.key))
        default:
            let isTLS = way == 2
            let field = isTLS ? SharedProxy.header(session.id) : SharedProxy.credentials(session.key)
            try await client.send(SharedProxy.connect("api.example.test:\(isTLS ? 443 : 80)", field))
            _ = await client.response()
            if isTLS { try await client.startTLS("api.example.test", authority: proxy.authority) }
        }
        var wrong = 0
        for _ in 0..<25 {
            try await client.send(request)
            if await client.response().body != expected { wrong += 1 }
        }
        await client.close()
        return wrong
    }
}
