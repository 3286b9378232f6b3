/// The slots of a client's connection: one among all connections, and one among those of a session.
///
/// A connection counts for the session of its latest request or its CONNECT: for one at a time, so that the sessions'
/// connections never exceed the total, and a client that uses one connection for many sessions leaves no slots taken.
/// Because a connection has one request in progress at a time, it counts for the session of that request.
///
/// Both slots are released when this value ends.
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

    /// Assigns the connection to a session; returns `false`, and changes nothing, if that has too many.
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
