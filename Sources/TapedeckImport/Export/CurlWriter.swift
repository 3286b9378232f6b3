import TapedeckCore

/// Writes a script that sends the requests of a cassette with curl. The answers are not in it.
struct CurlWriter {
    /// The script for a POSIX shell.
    func file(_ exchanges: [ExportedExchange], name: String, _ leftOut: inout [ExportRemark]) -> [UInt8] {
        var text =
            "#!/bin/sh\n# The requests of the cassette \(name.filter { !$0.isNewline }), in their order.\nset -e\n"
        for exchange in exchanges { text += "\n" + self.command(exchange) }
        return Array(text.utf8)
    }

    private func command(_ exchange: ExportedExchange) -> String {
        // The URL as it is: without these, curl reads braces and brackets as lists, and takes dots out of a path.
        var words = ["curl", "--silent", "--show-error", "--include", "--globoff", "--path-as-is"]
        words += exchange.method == "HEAD" ? ["--head"] : ["--request", Self.quoted(exchange.method)]
        for field in exchange.requestHeaders {
            words += ["--header", Self.quoted("\(field.name): \(field.value)")]
        }
        var prefix = ""
        if !exchange.requestBody.isEmpty {
            if let body = String(validating: exchange.requestBody, as: UTF8.self), !body.contains("\0"),
                !body.hasPrefix("@")
            {
                words += ["--data-binary", Self.quoted(body)]
            } else {
                let base64 = String(decoding: Base64.encode(exchange.requestBody), as: UTF8.self)
                prefix = "printf %s \(base64) | base64 -d | "
                words += ["--data-binary", "@-"]
            }
            // Without this curl would name a type of its own.
            if !exchange.requestHeaders.contains(named: "content-type") { words += ["--header", "'Content-Type:'"] }
        }
        words.append(Self.quoted(exchange.url.description))
        return prefix + words.joined(separator: " ") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
