import TapedeckCore
import TapedeckYAML

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
        if fault.hasResponse, fault.ending == .reset, take.body.decodedSize == 0 {
            self.warn(place, "there is no body, so the client sees a complete answer; give the take a body")
        }
        // A recording is not warned about: its origin did just that.
        if fault == .truncatedBody, take.recorded == nil, take.looksWhole {
            self.warn(
                place,
                "the head promises no more than this body, so the client cannot tell; give it a `content-length` "
                    + "that promises more"
            )
        }
    }
}

extension CassetteReader {
    mutating func readURLError(_ node: YAMLNode) -> URLErrorCode? {
        let text = node.kind == .scalar ? node.string : ""
        if let name = URLErrorCode(name: text) { return name }
        self.error(
            node,
            "`urlError` is a code of URLError as Swift spells it, such as notConnectedToInternet or timedOut"
                + Self.hint(text, among: URLErrorCode.names)
        )
        return nil
    }

    /// - Parameters:
    ///   - hasFault: whether there is a `fault`, be it a known one or not.
    ///   - node: where the name of the error stands.
    mutating func checkURLError(of take: Take, hasFault: Bool, _ node: YAMLNode) {
        if !hasFault {
            self.error(node, "`urlError` goes with a `fault`, which is what all other clients get")
        } else if let fault = take.fault, fault.hasResponse {
            self.error(
                node,
                "`urlError` goes with a fault that stands alone; with \(fault.rawValue) a part of the response comes, "
                    + "and then a URLSession reports networkConnectionLost"
            )
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
