/// The words by which names tell that their values are secrets, one row for each.
///
/// The places that look for them differ because a mistake costs something else in each: a report may hide too much, a
/// cookie has the name that the author of a site chose, and a recording in which too much is replaced does not match any
/// more. Whole names, as standards and services have them, are rules of the redaction (`BuiltInFields`), with the
/// evidence that each needs.
package struct SecretWord: Sendable {
    /// The places in which a word tells of a secret.
    package struct Places: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The end of a name in a report: the value is not shown.
        static let reportedName = Places(rawValue: 1)
        /// Anywhere in a text that a report shows as a whole: the text is not shown.
        static let reportedText = Places(rawValue: 2)
        /// Anywhere in the name of a cookie: the value is a credential.
        package static let cookie = Places(rawValue: 4)
        /// The end of a field's name: the value is a password, if it is one word.
        package static let passwordField = Places(rawValue: 8)
        /// The end of a field's name: the value is a key, if it looks like a token.
        package static let keyField = Places(rawValue: 16)
        /// The end of a field's name: the value is a token, if it looks like one and not like an id.
        package static let tokenField = Places(rawValue: 32)
    }

    /// In lower case.
    let text: StaticString
    let places: Places

    private init(_ text: StaticString, _ places: Places) {
        self.text = text
        self.places = places
    }

    private static let table = [
        SecretWord("password", [.reportedName, .reportedText, .passwordField]),
        SecretWord("passwd", [.reportedName, .reportedText, .passwordField]),
        SecretWord("passphrase", .passwordField),
        SecretWord("passw", .cookie),
        SecretWord("pwd", .reportedName),
        SecretWord("secret", [.reportedName, .reportedText, .cookie, .keyField]),
        SecretWord("token", [.reportedName, .reportedText, .cookie, .tokenField]),
        SecretWord("jwt", [.reportedName, .cookie]),
        SecretWord("apikey", [.reportedName, .reportedText, .cookie, .keyField]),
        SecretWord("api_key", [.reportedText, .cookie]),
        SecretWord("api-key", .cookie),
        SecretWord("key", .reportedName),
        SecretWord("secretkey", .keyField),
        SecretWord("accesskey", .keyField),
        SecretWord("privatekey", .keyField),
        SecretWord("authkey", .keyField),
        SecretWord("signature", .reportedName),
        SecretWord("sig", .reportedName),
        SecretWord("credential", [.reportedName, .cookie]),
        SecretWord("credentials", .reportedName),
        // For a cookie, `auth` and `sid` count only with certain neighbours.
        SecretWord("auth", .reportedName),
        SecretWord("authorization", [.reportedName, .reportedText]),
        SecretWord("cookie", [.reportedName, .reportedText]),
        SecretWord("session", .reportedName),
        SecretWord("sessionid", .reportedName),
        SecretWord("sid", .reportedName),
        SecretWord("sess", .cookie),
        SecretWord("csrf", .cookie),
        SecretWord("xsrf", .cookie),
        SecretWord("remember", .cookie),
        SecretWord("saml", .cookie),
        SecretWord("login", .cookie),
        SecretWord("identity", .cookie),
        SecretWord("ticket", .cookie),
    ]

    /// The words that tell of a secret in a place.
    package static func words(in place: Places) -> [StaticString] {
        self.table.filter { $0.places.contains(place) }.map(\.text)
    }
}
