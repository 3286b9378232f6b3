/// The text form of an instant, always in UTC.
package enum TimeFormat: Sendable, Hashable {
    /// `2026-11-21T10:09:08Z`
    case rfc3339
    /// `2026-11-21T10:09:08.007Z`
    case rfc3339Milliseconds
    /// `Sat, 21 Nov 2026 10:09:08 GMT`: IMF-fixdate (RFC 9110 section 5.6.7).
    case http
    /// `1795255748`
    case epochSeconds
    /// `1795255748007`
    case epochMilliseconds
    /// `2026-11-21`
    case date
    /// As strftime writes it: `%Y %m %d %H %M %S %j %a %A %b %B %y %e %I %p %z %Z %s %%`, and `%f` for three digits of
    /// milliseconds. Any other sign after a percent sign stays as it is.
    case pattern(String)

    /// The letters that may follow a percent sign in a pattern.
    package static let directives = "YmdHMSfjaAbByeIpzZs%"

    /// Returns the unknown directives in `pattern`, each once; a percent sign at the end is `%`.
    package static func unknownDirectives(in pattern: String) -> [String] {
        var unknown: [String] = []
        var scalars = pattern.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "%" else { continue }
            let directive = scalars.next()
            if let directive, self.directives.unicodeScalars.contains(directive) { continue }
            let text = directive.map { "%\($0)" } ?? "%"
            if !unknown.contains(text) { unknown.append(text) }
        }
        return unknown
    }
}
