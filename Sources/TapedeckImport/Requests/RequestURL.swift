import TapedeckCore
import TapedeckJSON

/// The URL of a request as clients send it: with a scheme, encoded, without user and fragment.
struct RequestURL {
    let text: String
    /// Host and port as written.
    let authority: String
    /// The value of an Authorization field for the user and password of the URL; `nil` without them.
    let user: String?

    /// - Parameter line: the line of the request, for errors.
    /// - Throws: the reason for which it is no URL to send a request to.
    init(_ written: String, line: Int) throws(LeftOut) {
        // Clients drop line ends and tabs within a URL (WHATWG URL section 4.4).
        let kept = written.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\t" }
        var rest = RequestText.trimmed(String(String.UnicodeScalarView(kept)))[...]
        guard !rest.isEmpty else { throw LeftOut("it has no URL", line: line) }
        guard !rest.contains("{{") else { throw LeftOut("a '{{' in its URL is not closed", line: line) }
        var scheme = "http"
        if let end = Self.schemeEnd(of: rest) {
            scheme = ASCII.lowercased(String(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        let isDelimiter = { (character: Character) in "/?#\\".contains(character) }
        var authority = rest.prefix { !isDelimiter($0) }
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        var user: String?
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { PercentEncoding.text($0) ?? String($0) }
            user = RequestDraft.basic(texts.first ?? "", texts.count > 1 ? texts[1] : "")
            authority = authority[authority.index(after: at)...]
        }
        guard scheme == "http" || scheme == "https" else {
            throw LeftOut("'\(written.prefix(200))' is no http or https URL", line: line)
        }
        guard authority.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw LeftOut("the host '\(authority.prefix(200))' is not ASCII: write its xn-- name", line: line)
        }
        self.text = "\(scheme)://\(authority)\(Self.encoded(target))"
        self.authority = String(authority)
        self.user = user
        guard AbsoluteURL(self.text) != nil else {
            throw LeftOut("'\(written.prefix(200))' is no http or https URL", line: line)
        }
    }

    /// The `://` behind the scheme of a URL; one within its path or query is not meant.
    static func schemeEnd(of url: some StringProtocol) -> Range<String.Index>? {
        guard let end = url.firstRange(of: "://"), !url[..<end.lowerBound].contains(where: { "/?#".contains($0) })
        else { return nil }
        return end
    }

    /// Encodes the bytes that a path or a query cannot have, and resolves `.` and `..` in the path.
    private static func encoded(_ target: Substring) -> String {
        let path = target.prefix { $0 != "?" }
        let query = target[path.endIndex...]
        var segments: [String] = []
        let parts = path.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.map {
            self.encodedBytes($0)
        }
        for (index, part) in parts.enumerated().dropFirst() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + segments.joined(separator: "/") + self.encodedBytes(query)
    }

    private static func encodedBytes(_ text: Substring) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x00...0x20, 0x7F...0xFF, ASCII.quote, 0x3C, 0x3E, ASCII.backslash, 0x5E, 0x60, ASCII.openBrace, 0x7C,
                ASCII.closeBrace:
                output += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
            default:
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns a text encoded for a part of a URL, as JavaScript's `encodeURIComponent` does it.
    ///
    /// - Parameter kept: further characters that stay as they are.
    static func component(_ text: String, keeping kept: String = "!'()*") -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) || kept.utf8.contains(byte) {
                output.append(byte)
            } else {
                output += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns a URL with a query behind the one that it has.
    static func appending(_ query: String, to url: String) -> String {
        guard !query.isEmpty else { return url }
        let base = url.prefix { $0 != "#" }
        let joiner = base.hasSuffix("?") || base.hasSuffix("&") ? "" : base.contains("?") ? "&" : "?"
        return "\(base)\(joiner)\(query)"
    }
}
