import TapedeckCodings
import TapedeckCore

/// Writes cassettes of Python's vcrpy in YAML, in the form that all its versions from 4.0 read: bodies without a content
/// coding, and no `Content-Encoding`.
struct VCRPyWriter {
    /// The cassette of exchanges, in their order.
    func file(_ exchanges: [ExportedExchange], _ leftOut: inout [ExportRemark]) -> [UInt8] {
        var text = ""
        for exchange in exchanges {
            if let fault = exchange.take.fault {
                leftOut.append(ExportRemark(exchange, "it is left out: vcrpy plays no \(fault.rawValue)"))
            } else {
                text += self.interaction(exchange)
            }
        }
        return Array("interactions:\(text.isEmpty ? " []" : "")\n\(text)version: 1\n".utf8)
    }

    private func interaction(_ exchange: ExportedExchange) -> String {
        let take = exchange.take
        // The length of the coded body is not that of this one.
        let fields = exchange.headers.filter { field in
            !field.isNamed("content-encoding") && (take.body.coding == nil || !field.isNamed("content-length"))
        }
        return """
            - request:
                body: \(exchange.requestBody.isEmpty ? "null" : Self.scalar(exchange.requestBody))
                headers:\(VCRWriter.fields(exchange.requestHeaders))
                method: \(VCRWriter.quoted(exchange.method))
                uri: \(VCRWriter.quoted(exchange.url.description))
              response:
                body:
                  string: \(Self.scalar(exchange.body))
                headers:\(VCRWriter.fields(fields))
                status:
                  code: \(take.status)
                  message: \(VCRWriter.quoted(take.reasonPhrase))

            """
    }

    private static func scalar(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return VCRWriter.quoted(text) }
        return "!!binary \"\(String(decoding: Base64.encode(bytes), as: UTF8.self))\""
    }
}
