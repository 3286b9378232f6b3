package import TapedeckCore

/// The reason why an origin gave no complete answer.
package struct UpstreamFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package var fault: Fault
    /// The details of the fault, such as the code of a stream's reset.
    package var options: FaultOptions
    /// Details beyond the fault's name. The same failure always gives the same text.
    package var detail: String?

    /// The error for a URLSession, if a take has one.
    package var urlError: URLErrorCode?

    /// True if a proxy on the way to the origin failed. That is no evidence about the origin, so it is never recorded.
    package var isOfProxy = false
    /// The status of such a proxy's answer, if any.
    package var proxyStatus: Int?

    package init(fault: Fault, options: FaultOptions = .none, detail: String? = nil) {
        self.fault = fault
        self.options = options
        self.detail = detail
    }

    /// The fault of a take.
    package init(_ take: Take, _ fault: Fault) {
        self.fault = fault
        self.options = take.faultOptions
        self.detail = take.detail
        self.urlError = take.urlError
    }

    /// The code of the frame that ends the exchange over HTTP/2.
    package var code: HTTP2ErrorCode { self.options.code ?? self.fault.code }

    package var description: String {
        let explanation =
            self.options.code.map { "\(self.fault.explanation) with \($0.name)" } ?? self.fault.explanation
        return self.detail.map { "\(explanation) (\($0))" } ?? explanation
    }
}
