/// A socket that is bound in the network namespace of an isolated command, and served by a deck outside.
package struct IsolatedSocket: Sendable {
    package enum Purpose: Sendable, Equatable {
        /// Listens on every address, in place of this port of origins.
        case origin(port: Int)
        /// Answers DNS, over UDP or over TCP.
        case names(isDatagram: Bool)
        /// Listens on the loopback address, in place of a port of the machine's.
        case loopback(port: Int, isIPv6: Bool)
    }

    package var purpose: Purpose
    /// Belongs to whoever serves it, and is closed with the deck.
    package var descriptor: CInt

    package init(_ purpose: Purpose, descriptor: CInt) {
        self.purpose = purpose
        self.descriptor = descriptor
    }
}
