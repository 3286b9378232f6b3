import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The errors of a transfer, as a URLSession would report them.
enum TransferError {
    /// - Parameter message: the error and, if it is not caused by the network, a remedy.
    static func error(_ code: URLError.Code, _ message: String, _ url: URL?) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let url { info[NSURLErrorFailingURLErrorKey] = url }
        return URLError(code, userInfo: info)
    }

    /// Returns the error for a fault of the deck, or `nil` for a response.
    static func error(_ head: ResponseParser.Head, _ url: URL?) -> URLError? {
        guard let fault = head["x-tapedeck-fault"] else { return nil }
        if let number = head["x-tapedeck-url-error-code"].flatMap({ Int($0) }) {
            let name = head["x-tapedeck-url-error"] ?? String(number)
            let code = Optional(number).flatMap { URLError.Code(rawValue: $0) } ?? .unknown
            return self.error(code, "Tapedeck played the error \(name).", url)
        }
        return self.error(self.code(ofFault: fault), "Tapedeck played the fault \(fault).", url)
    }

    /// Returns the code that a URLSession reports for a fault.
    private static func code(ofFault fault: String) -> URLError.Code {
        switch fault {
        case "connectionRefused": .cannotConnectToHost
        case "nameNotResolved": .cannotFindHost
        case "tlsHandshake": .secureConnectionFailed
        case "timeout", "hang", "stalledWindow": .timedOut
        case "malformedResponse", "garbage", "badFrame": .badServerResponse
        // Resets, empty responses, bodies that break off.
        default: .networkConnectionLost
        }
    }

    /// The deck could not be reached.
    static func unreachable(_ failure: ClientSocket.Failure, _ route: ProxyRoute, _ url: URL?) -> URLError {
        if failure == .timeout { return self.timedOut(url) }
        let message =
            failure == .connectionRefused
            ? "No deck listens at \(route.authority) any more (\(failure.description)). Use this URLSession only while its "
                + "Tapedeck session lasts."
            : "No connection to the deck at \(route.authority): \(failure.description)."
        return self.error(.cannotConnectToHost, message, url)
    }

    /// A socket call has failed after the connection was there.
    static func broken(_ failure: ClientSocket.Failure, _ url: URL?) -> URLError {
        failure == .timeout ? self.timedOut(url) : self.lost(failure.description, url)
    }

    static func timedOut(_ url: URL?) -> URLError {
        self.error(.timedOut, "The request timed out.", url)
    }

    /// - Parameter reason: half a sentence.
    static func lost(_ reason: String, _ url: URL?) -> URLError {
        self.error(.networkConnectionLost, "The network connection was lost: \(reason).", url)
    }
}
