import TapedeckLocking

/// Starts a deck inside the process; registered by the in-process deck, if that is linked.
package struct DeckStarter: Sendable {
    /// A deck that was started, and how to reach it.
    package struct Started: Sendable {
        package var controlURL: String
        package var token: String?

        package init(controlURL: String, token: String?) {
            self.controlURL = controlURL
            self.token = token
        }
    }

    /// Starts a deck that lives as long as the process, or returns the one that it started before. A failed start is
    /// tried again.
    package var start: @Sendable () async throws -> Started

    package init(start: @escaping @Sendable () async throws -> Started) {
        self.start = start
    }

    private static let slot = Locked<DeckStarter?>(nil)

    /// `nil` where no in-process deck is linked.
    package static var registered: DeckStarter? { self.slot.withLock { $0 } }

    package static func register(_ starter: DeckStarter) {
        self.slot.withLock { $0 = starter }
    }
}
