/// The address of a deck's control API: a parsed `http://` URL.
struct ControlAddress: Sendable, Equatable {
    /// As it was given, without a slash at its end.
    let url: String
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// The value of `Host`.
    let authority: String

    /// - Throws: ``ControlError`` of the kind `badURL`.
    init(_ text: String) throws(ControlError) {
        let scheme = "http://"
        guard text.utf8.count > scheme.utf8.count, text.prefix(scheme.count).lowercased() == scheme else {
            let reason = text.lowercased().hasPrefix("https://") ? "a deck is steered over plain HTTP" : "it is no URL"
            throw Self.problem(text, reason)
        }
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains(where: { "/?#@\\".contains($0) || $0.isWhitespace || !$0.isASCII }) else {
            throw Self.problem(text, "it is more than a host and a port")
        }
        var port = 80
        // The colons of an IPv6 address are inside its brackets.
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            let digits = rest[rest.index(after: colon)...]
            guard !digits.isEmpty, digits.allSatisfy(\.isNumber), let number = Int(digits),
                (1...65_535).contains(number)
            else { throw Self.problem(text, "\"\(digits)\" is no port") }
            port = number
            rest = rest[..<colon]
        }
        var host = rest
        if rest.first == "[" {
            guard rest.last == "]" else { throw Self.problem(text, "a bracket is missing") }
            host = rest.dropFirst().dropLast()
        }
        guard !host.isEmpty, !host.contains("["), !host.contains("]"), rest.first == "[" || !host.contains(":") else {
            throw Self.problem(text, "it has no host")
        }
        self.host = String(host)
        self.port = port
        self.authority = port == 80 ? String(rest) : "\(rest):\(port)"
        self.url = scheme + self.authority
    }

    private static func problem(_ text: String, _ reason: String) -> ControlError {
        ControlError(.badURL, "\"\(text)\" names no deck: \(reason); write one such as http://127.0.0.1:4748")
    }
}
