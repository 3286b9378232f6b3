import TapedeckCore

/// Encodes URLs as Insomnia does it: characters that are encoded already stay so.
enum InsomniaURL {
    /// A parameter of a query; without a value it is its name alone.
    typealias Parameter = (name: String, value: String?)

    /// Returns the URL with parameters behind its query, without its fragment.
    ///
    /// - Parameter encodes: false for a request whose URL is sent as it is written. Parameters are encoded even so.
    static func text(_ url: String, parameters: [Parameter], encodes: Bool) -> String {
        let base = url.prefix { $0 != "#" }
        let added = self.query(parameters)
        let joined = added.isEmpty ? String(base) : "\(base)\(base.contains("?") ? "&" : "?")\(added)"
        guard encodes else { return joined }
        let start = joined.firstRange(of: "://")?.upperBound ?? joined.startIndex
        let path = joined[start...].firstIndex { "/?\\".contains($0) } ?? joined.endIndex
        let question = joined[path...].firstIndex(of: "?") ?? joined.endIndex
        let segments = joined[path..<question].split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        let encoded = segments.map { self.component(String($0), keeping: ":@$+,;=") }.joined(separator: "/")
        let written = joined[question...].dropFirst()
        guard !written.isEmpty else { return joined[..<path] + encoded + joined[question...] }
        let parameters = written.split(separator: "&", omittingEmptySubsequences: true).map { pair -> Parameter in
            let name = pair.prefix { $0 != "=" }
            let value = pair[name.endIndex...].dropFirst()
            return (self.decoded(name), name.endIndex == pair.endIndex ? nil : self.decoded(value))
        }
        return "\(joined[..<path])\(encoded)?\(self.query(parameters))"
    }

    /// Returns the query of parameters that have a name.
    private static func query(_ parameters: [Parameter]) -> String {
        parameters.filter { !$0.name.isEmpty }.map { parameter in
            let name = self.component(parameter.name)
            guard let value = parameter.value else { return name }
            return "\(name)=\(self.component(value).replacing("%2C", with: ",").replacing("%2c", with: ","))"
        }.joined(separator: "&")
    }

    private static func decoded(_ text: Substring) -> String { PercentEncoding.text(text) ?? String(text) }

    /// Returns the text encoded, except for what is encoded already.
    ///
    /// - Parameter kept: characters that stay as they are, beside those that `encodeURIComponent` keeps.
    private static func component(_ text: String, keeping kept: String = "") -> String {
        let bytes = Array(text.utf8)
        let kept = "!'()*" + kept
        var output = ""
        var start = 0
        for index in bytes.indices where bytes[index] == ASCII.percent && index >= start && index + 2 < bytes.count {
            guard ASCII.hexValue(bytes[index + 1]) != nil, ASCII.hexValue(bytes[index + 2]) != nil else { continue }
            output += RequestURL.component(String(decoding: bytes[start..<index], as: UTF8.self), keeping: kept)
            output += String(decoding: bytes[index...(index + 2)], as: UTF8.self)
            start = index + 3
        }
        return output + RequestURL.component(String(decoding: bytes[start...], as: UTF8.self), keeping: kept)
    }
}
