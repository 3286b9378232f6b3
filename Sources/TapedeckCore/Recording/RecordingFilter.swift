/// Which exchanges are left out of a recording. Clients get every answer, recorded or not.
package struct RecordingFilter: Sendable, Equatable {
    /// Why an exchange is left out.
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
    ///   - maxBody: of the response's body, as it came: with its content coding. `nil` is no limit.
    ///   - statuses: `nil` is all. What ended without a response has none of them.
    ///   - dropsFailures: whether faults and statuses of 500 and above are left out.
    package init(maxBody: ByteSize? = nil, statuses: StatusFilter? = nil, dropsFailures: Bool = false) {
        self.maxBody = maxBody
        self.statuses = statuses
        self.dropsFailures = dropsFailures
    }

    /// Why a response with this status is left out; `nil` for one that is recorded.
    ///
    /// - Parameter length: how long its body will be, where that is known.
    package func reason(status: Int, length: Int?) -> Reason? {
        if let statuses = self.statuses, !statuses.contains(status) { return .status(wanted: statuses.description) }
        if self.dropsFailures, status >= 500 { return .failure }
        return length.flatMap { self.reason(size: $0) }
    }

    /// Why a response is left out of whose body this much has come.
    package func reason(size: Int) -> Reason? {
        guard let limit = self.maxBody, size > limit.bytes else { return nil }
        return .size(limit: limit.description)
    }

    /// Why an exchange without a complete response is left out.
    ///
    /// - Parameter hasResponse: whether there was the head of one, which ``reason(status:length:)`` has judged.
    package func reason(failedAndHasResponse hasResponse: Bool) -> Reason? {
        if self.dropsFailures { return .failure }
        if !hasResponse, let statuses = self.statuses { return .status(wanted: statuses.description) }
        return nil
    }
}
