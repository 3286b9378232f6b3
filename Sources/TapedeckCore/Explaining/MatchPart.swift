/// One part of a request beside what a response set wants of it.
package struct MatchPart: Sendable, Equatable {
    /// `method`, `path`, `query page`, `header accept`, `body`, `body $.user.name`, `state cart`.
    package var name: String
    package var wanted: String
    /// `nil` when there was none.
    package var came: String?
    package var isMet: Bool

    package init(name: String, wanted: String, came: String?, isMet: Bool) {
        self.name = name
        self.wanted = wanted
        self.came = came
        self.isMet = isMet
    }

    /// What differs, in a few words.
    package var difference: String {
        guard let came = self.came else { return "\(self.name) is missing, the tape has \(self.wanted)" }
        return "\(self.name) is \(came), the tape has \(self.wanted)"
    }

    /// How far apart it leaves a request and a set that differ in it: method and origin outrank everything else.
    var weight: Int {
        switch self.name {
        case "origin", "host": 10_000
        case "path", "url": 1_000
        case "method": 500
        default: 1
        }
    }
}

/// Values that no report shows: they are secrets more often than not.
enum Discretion {
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey", "api_key",
        "x-auth-token", "x-csrf-token", "access_token", "refresh_token", "id_token", "token", "secret",
        "client_secret", "password", "passwd", "pwd", "key", "sig", "signature", "session", "sessionid",
    ]

    /// The value, or how long it is where the name tells that it is a secret.
    static func shown(_ value: String, name: String) -> String {
        self.hides(name) ? "(\(value.count) characters, not shown)" : Self.short(value)
    }

    static func hides(_ name: String) -> Bool {
        let lower = ASCII.lowercased(name)
        let last = lower.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" || $0 == "'" }).last
        return self.names.contains(lower) || (last.map { self.names.contains(String($0)) } ?? false)
    }

    /// Whether a text that is shown as a whole has a word in it that tells of a secret.
    static func mentionsSecret(_ text: String) -> Bool {
        let lower = ASCII.lowercased(text)
        return ["password", "passwd", "secret", "token", "api_key", "apikey"].contains { lower.contains($0) }
    }

    static func short(_ text: String) -> String {
        text.count > 80 ? "\(text.prefix(77))…" : text
    }
}
