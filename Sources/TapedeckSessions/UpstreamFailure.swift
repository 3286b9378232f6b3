package import TapedeckCore

/// Why an origin gave no complete answer.
package struct UpstreamFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package var fault: Fault
    /// What was seen, where it says more than the fault's name. The same failure gives the same text every time.
    package var detail: String?

    /// What a URLSession is told of it, where a take says so.
    package var urlError: URLErrorName?

    /// Whether it is a proxy's doing, on the way to the origin. It says nothing of the origin, so it is never recorded.
    package var isOfProxy = false
    /// What such a proxy answered, where it did.
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
