import TapedeckControlAPI
import TapedeckSessions

/// Waits until a session holds a request with a later version.
struct HeldWait: Sendable {
    /// The requests of an answer, at most: each may have a large body.
    private static let limit = 16

    let session: Session
    let version: Int
    let ending: ChangeSignal

    /// The requests held now. Decodes content codings: not for an event loop.
    var now: HeldList {
        let view = self.session.held.view(after: self.version, limit: Self.limit)
        return HeldList(
            held: view.held.map { HeldModel($0.request, version: $0.version, of: self.session) },
            version: view.version
        )
    }

    /// Returns as soon as one is held; also when the time is up, the session ends, or the server stops.
    func run(within time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func watch() async {
        while !Task.isCancelled {
            let change = self.session.changes.version
            let isOver = self.session.isEnded || self.ending.isClosed
            guard !isOver, self.session.held.view(after: self.version, limit: 1).held.isEmpty else { return }
            await self.session.changes.wait(after: change, atMost: .seconds(3_600), ending: self.ending)
        }
    }
}
