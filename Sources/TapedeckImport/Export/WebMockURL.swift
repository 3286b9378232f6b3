import TapedeckCore

/// A URL in the spelling in which Ruby's WebMock compares it, and VCR with it: parameters sorted, one escape for each
/// character.
struct WebMockURL {
    let text: String
    /// True if WebMock drops a value: it keeps the last of a repeated name, unless the name ends with `[]`.
    private(set) var dropsValues = false

    init(_ url: AbsoluteURL) {
        let whole = url.description
        let start = whole.prefix { $0 != "?" && $0 != "#" }
        let query = whole.dropFirst(start.count).dropFirst().prefix { $0 != "#" }
        var pairs: [(name: String, value: String?)] = []
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs.append((Self.decoded(pair[0]), pair.count > 1 ? Self.decoded(pair[1]) : nil))
        }
        let last = Dictionary(pairs.enumerated().map { ($1.name, $0) }) { $1 }
        let kept = pairs.enumerated().filter { $1.name.hasSuffix("[]") || last[$1.name] == $0 }.map(\.element)
        self.dropsValues = kept.count < pairs.count
        pairs = kept
        pairs.sort { ($0.name, $0.value ?? "") < ($1.name, $1.value ?? "") }
        let parameters = pairs.map { name, value in
            value.map { "\(Self.encoded(name))=\(Self.encoded($0))" } ?? Self.encoded(name)
        }
        self.text = start + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    /// Returns a text without percent-encoding, in which a plus sign is a space.
    private static func decoded(_ text: Substring) -> String {
        ByteText.string(from: PercentEncoding.decoded(Array(text.utf8)) { $0 == UInt8(ascii: "+") ? ASCII.space : $0 })
    }

    private static let plain = Set(":/?@!$'()*,".utf8)

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in ByteText.bytes(of: text) {
            if ASCII.isUnreserved(byte) || self.plain.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result +=
                    "%" + String(UnicodeScalar(ASCII.hexDigit(byte >> 4)))
                    + String(UnicodeScalar(ASCII.hexDigit(byte & 15)))
            }
        }
        return result
    }
}
