package import TapedeckCore

/// Why an origin gave no complete answer.
package struct UpstreamFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package var fault: Fault
    /// Details beyond the fault's name. The same failure always gives the same text.
    package var detail: String?

    /// The error for a URLSession, if a take has one.
    package var urlError: URLErrorCode?

    /// True if a proxy on the way to the origin failed. It says nothing about the origin, so it is never recorded.
    package var isOfProxy = false
    /// The status of such a proxy's answer, if any.
    package var proxyStatus: Int?

    package init(fault: Fault, detail: String? = nil) {
        self.fault = fault
        self.detail = detail
    }

    /// The fault of a take.
    package init(_ take: Take, _ fault: Fault) {
        self.fault = fault
        self.detail = take.detail
        self.urlError = take.urlError
    }

    package var description: String {
        self.detail.map { "\(self.fault.explanation) (\($0))" } ?? self.fault.explanation
    }
}
