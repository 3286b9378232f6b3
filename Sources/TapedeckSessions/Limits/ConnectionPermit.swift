/// The slots of a client's connection: one among all connections, and one among those of a session.
///
/// A connection counts for the session that its latest request, or its CONNECT, was for: for one at a time, so that the
/// sessions' connections never come to more than there are, and a client that uses one connection for many sessions
/// leaves nothing behind in any. As a connection has one request under way at a time, that of a request under way is its
/// session's.
///
/// Both places are given back when the connection is gone, by whatever way that is.
package struct ConnectionPermit: ~Copyable {
    private var own: Gauge.Slot?
    private var inSession: Gauge.Slot?
    private var session: SessionMeter?
    /// The connection is one too many, and ends with its first answer.
    package private(set) var isExcess = false
    /// There are even too many of those.
    package private(set) var isHopeless = false

    package init(in deck: DeckMeter) {
        do throws(Gauge.Full) {
            self.own = try deck.connections.slot()
            return
        } catch {
            self.isExcess = true
        }
        do throws(Gauge.Full) {
            self.own = try deck.refused.slot()
        } catch {
            self.isHopeless = true
        }
    }

    /// Makes the connection one of a session's; returns `false`, and leaves it where it was, when that has too many.
    package mutating func join(_ session: SessionMeter) -> Bool {
        if self.session === session { return true }
        do throws(Gauge.Full) {
            self.inSession = try session.connections.slot()
        } catch {
            return false
        }
        self.session = session
        return true
    }

    /// The connection is gone.
    package mutating func leave() {
        self.own = nil
        self.inSession = nil
        self.session = nil
    }
}
