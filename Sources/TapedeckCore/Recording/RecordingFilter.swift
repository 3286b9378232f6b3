/// The exchanges that a recording leaves out. Clients get every answer, recorded or not.
package struct RecordingFilter: Sendable, Equatable {
    /// The reason why an exchange is left out.
    package enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// No complete response, or a status of 500 and above.
        case failure
        case status(wanted: String)
        case size(limit: String)

        /// As the end of "not recorded: …".
        package var description: String {
            switch self {
            case .failure: "failed exchanges are left out"
            case .status(let wanted): "only the statuses \(wanted) are recorded"
            case .size(let limit): "its body is larger than \(limit)"
            }
        }
    }

    private var maxBody: ByteSize?
    private var statuses: StatusFilter?
    private var dropsFailures: Bool

    /// - Parameters:
    ///   - maxBody: of the response's body as received, with its content coding. `nil` means no limit.
    ///   - statuses: `nil` means all. An exchange without a response has no status.
    ///   - dropsFailures: true to leave out faults and statuses of 500 and above.
    package init(maxBody: ByteSize? = nil, statuses: StatusFilter? = nil, dropsFailures: Bool = false) {
        self.maxBody = maxBody
        self.statuses = statuses
        self.dropsFailures = dropsFailures
    }

    /// Returns the reason why a response with this status is left out, or `nil` if it is recorded.
    ///
    /// - Parameter length: the length of its body, if known.
    package func reason(status: Int, length: Int?) -> Reason? {
        if let statuses = self.statuses, !statuses.contains(status) { return .status(wanted: statuses.description) }
        if self.dropsFailures, status >= 500 { return .failure }
        return length.flatMap { self.reason(size: $0) }
    }

    /// Returns the reason why a response is left out after this much of its body.
    package func reason(size: Int) -> Reason? {
        guard let limit = self.maxBody, size > limit.bytes else { return nil }
        return .size(limit: limit.description)
    }

    /// Returns the reason why an exchange without a complete response is left out.
    ///
    /// - Parameter hasResponse: true if a head arrived, which ``reason(status:length:)`` has checked.
    package func reason(failedAndHasResponse hasResponse: Bool) -> Reason? {
        if self.dropsFailures { return .failure }
        if !hasResponse, let statuses = self.statuses { return .status(wanted: statuses.description) }
        return nil
    }
}
