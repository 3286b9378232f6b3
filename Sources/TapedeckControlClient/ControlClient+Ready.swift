/// The readiness of a deck.
package enum Readiness: Sendable, Equatable {
    case ready
    /// It finishes what it is at, and takes nothing new.
    case stopping
}

extension ControlClient {
    /// Checks that a deck accepts requests. Needs no token.
    ///
    /// - Throws: ``ControlError`` if nothing listens, or something other than a deck.
    package func readiness() throws(ControlError) -> Readiness {
        let response = try self.transport.response(to: ControlRequest("GET", ["ready"]))
        switch response.head.status {
        case 200: return .ready
        case 503: return .stopping
        default: throw self.transport.notUnderstood("it has the status \(response.head.status)")
        }
    }

    /// Asks a deck without a control API, at its proxy port, for the page that every deck has there.
    package func proxyReadiness() throws(ControlError) -> Readiness {
        var request = ControlRequest("GET", [])
        request.target = "http://tapedeck.local/"
        let response = try self.transport.response(to: request)
        guard response.head.status == 200 else {
            throw self.transport.notUnderstood("it has the status \(response.head.status)")
        }
        return .ready
    }
}
