import TapedeckCodings
import TapedeckCore
import TapedeckJSON

/// Writes cassettes of Ruby's VCR in YAML. Texts are in double quotes, with the escapes of JSON, which YAML has too.
struct VCRWriter {
    /// The cassette of exchanges, in their order.
    func file(_ exchanges: [ExportedExchange], _ leftOut: inout [ExportRemark]) -> [UInt8] {
        var text = "---\nhttp_interactions:\(exchanges.isEmpty ? " []" : "")\n"
        for exchange in exchanges {
            if let fault = exchange.take.fault {
                leftOut.append(ExportRemark(exchange, "it is left out: VCR plays no \(fault.rawValue)"))
            } else {
                let url = WebMockURL(exchange.url)
                if url.dropsValues {
                    leftOut.append(
                        ExportRemark(
                            exchange,
                            "of a repeated name in its URL only the last value is written, since VCR compares no other"
                        )
                    )
                }
                text += self.interaction(exchange, url.text)
            }
        }
        return Array((text + "recorded_with: VCR 6.0.0\n").utf8)
    }

    private func interaction(_ exchange: ExportedExchange, _ url: String) -> String {
        let take = exchange.take
        let coding = take.body.coding?.codings ?? []
        // VCR applies these two again itself, because it removes them on request.
        let known = coding.count == 1 && (coding[0] == .gzip || coding[0] == .deflate) ? coding[0].rawValue : nil
        let isPlain = known != nil || coding.isEmpty
        let body = isPlain ? exchange.body : self.coded(exchange.body, coding)
        var text = """
            - request:
                method: \(Self.quoted(exchange.method.lowercased()))
                uri: \(Self.quoted(url))
                body:\(Self.body(exchange.requestBody))
                headers:\(Self.fields(exchange.requestHeaders))
              response:
                status:
                  code: \(take.status)
                  message: \(Self.quoted(take.reasonPhrase))
                headers:\(Self.fields(known == nil ? exchange.headers : exchange.headers.filter { !$0.isNamed("content-encoding") }))
                body:\(Self.body(body))
                http_version:

            """
        if let known { text += "    adapter_metadata:\n      vcr_decompressed: \(known)\n" }
        let time = exchange.time ?? Instant(seconds: 0)
        return text + "  recorded_at: \(Self.quoted(time.text(.http)))\n"
    }

    private func coded(_ body: [UInt8], _ codings: [ContentCoding]) -> [UInt8] {
        (try? codings.reduce(body) { try ContentCoder.encode($0, $1) }) ?? body
    }

    private static func body(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            return "\n      encoding: UTF-8\n      string: \(self.quoted(text))"
        }
        return
            "\n      encoding: ASCII-8BIT\n      base64_string: \(String(decoding: Base64.encode(bytes), as: UTF8.self))"
    }

    static func fields(_ fields: [HeaderField]) -> String {
        var values: [(name: String, values: [String])] = []
        for field in fields {
            if let index = values.firstIndex(where: { ASCII.equalsIgnoringCase($0.name, field.name) }) {
                values[index].values.append(field.value)
            } else {
                values.append((field.name, [field.value]))
            }
        }
        guard !values.isEmpty else { return " {}" }
        return values.map { name, values in
            "\n      \(self.quoted(name)):" + values.map { "\n      - \(self.quoted($0))" }.joined()
        }.joined()
    }

    /// Returns a text in double quotes. Characters that YAML 1.1 treats as line ends or does not print are escaped.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONValue.appendQuoted(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default:
                result.unicodeScalars.append(scalar)
            }
        }
    }
}
