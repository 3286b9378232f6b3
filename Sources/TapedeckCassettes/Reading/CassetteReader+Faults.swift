import TapedeckCore

/// Faults that do not go with the rest of their take, or that no client would notice.
extension CassetteReader {
    /// - Parameters:
    ///   - node: the take, or where a fault stands alone that.
    ///   - fault: where the name of the fault stands.
    mutating func checkFault(of take: Take, hasStatus: Bool, _ node: YAMLNode, fault place: YAMLNode) {
        // An unknown name has been spoken of.
        guard let fault = take.fault else { return }
        if !hasStatus, fault == .truncatedBody {
            self.error(node, "a take needs a `status`, such as 200, or a `fault`")
            return
        }
        if hasStatus, !fault.hasResponse {
            self.error(node, "with the fault \(fault.rawValue) there is no response, so no `status`")
        }
        switch fault {
        case .resetBeforeBody, .resetDuringBody, .resetAfterBody:
            guard take.body.decodedSize == 0 else { return }
            self.warn(place, "there is no body, so the client sees a complete answer; give the take a body")
        case .truncatedBody:
            // What a recording saw is what it is.
            guard take.recorded == nil, take.looksWhole else { return }
            self.warn(
                place,
                "the head promises no more than this body, so the client cannot tell; give it a `content-length` "
                    + "that promises more"
            )
        default: return
        }
    }
}

extension Take {
    /// Whether a body that breaks off is one that ends, to the client.
    fileprivate var looksWhole: Bool {
        guard self.trailers.isEmpty, self.headers.first(named: "transfer-encoding") == nil else { return false }
        guard let length = self.headers.first(named: "content-length") else { return true }
        // How long a coded body will be, nobody knows here.
        guard self.body.coding == nil, let promised = Int(length) else { return false }
        return self.body.decodedSize >= promised
    }
}
