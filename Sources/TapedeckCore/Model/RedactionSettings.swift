/// The rules of a cassette or project file for secrets in recordings, over the built-in ones.
package struct RedactionSettings: Sendable, Equatable {
    /// The ids of built-in rules that do not apply.
    package var off: [String]
    /// The ids of rules that are off by default.
    package var on: [String]
    package var rules: [RedactionRule]

    package init(off: [String] = [], on: [String] = [], rules: [RedactionRule] = []) {
        self.off = off
        self.on = on
        self.rules = rules
    }

    /// True if only the built-in rules apply.
    package var isEmpty: Bool { self.off.isEmpty && self.on.isEmpty && self.rules.isEmpty }
}

/// A user's own rule that describes where a secret is.
package struct RedactionRule: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// The value of a header field, in requests and responses; names know no case.
        case header(String)
        /// The value of a query parameter, wherever there is a URL.
        case query(String)
        /// The strings and numbers in JSON bodies that a path selects.
        case json(JSONPath)
        /// The value of a field in a form, or of a part of a multipart body.
        case form(String)
        /// The match of a regular expression in any text, or its first capture.
        case pattern(Pattern)
        /// The value of an environment variable of the deck, wherever it is.
        case environment(String)
    }

    /// The id of the built-in rule that it replaces; `nil` is an additional rule.
    package var id: String?
    /// The name of its secrets: `{{secret.NAME}}`. Letters, digits, `_` and `-`; `nil` takes the name from the place.
    package var name: String?
    package var place: Place

    package init(id: String? = nil, name: String? = nil, place: Place) {
        self.id = id
        self.name = name
        self.place = place
    }
}

/// The facts about a secret that a journal keeps: never its value.
package struct SecretTraits: Sendable, Equatable {
    /// The form of the value, as `SecretShape` reads it.
    package var shape: String?
    /// The environment variable of the deck that had the value.
    package var variable: String?
    /// See ``SecretDescription/sha256``.
    package var sha256: String?

    package init(shape: String?, variable: String? = nil, sha256: String? = nil) {
        self.shape = shape
        self.variable = variable
        self.sha256 = sha256
    }
}

/// A secret of a cassette, as its `secrets:` describe it: never its value.
package struct SecretDescription: Sendable, Equatable {
    /// The beginning of the names of the deck's own variables, which no cassette may name.
    package static let ownVariables = "TAPEDECK_"

    /// The name in its placeholder: `{{secret.NAME}}`.
    package var name: String
    /// The form of the value that plays for it, as `SecretShape` reads it; `nil` is a token of 32 letters and digits.
    package var shape: String?
    /// The environment variable of the deck with the value to play; if it is not set, a value is generated.
    package var environment: String?
    /// The first hexadecimal digits of the SHA-256 digest of the value, at least ``digestLength``: a value with this digest
    /// is this secret, and no other of its kind.
    package var sha256: String?
    /// True if no other value than that of ``sha256``, and the one that plays, is this secret.
    package var refusesOtherValues: Bool

    /// True if ``sha256`` is the digest of the value with small ASCII letters, whatever its case.
    package var ignoresCase: Bool

    /// The digits of ``sha256`` that an import writes: they tell a few secrets apart, and leave a guess of the value one of
    /// many. 4.
    package static let digestLength = 4

    package init(
        name: String,
        shape: String? = nil,
        environment: String? = nil,
        sha256: String? = nil,
        refusesOtherValues: Bool = false,
        ignoresCase: Bool = false
    ) {
        self.name = name
        self.shape = shape
        self.environment = environment
        self.sha256 = sha256
        self.refusesOtherValues = refusesOtherValues
        self.ignoresCase = ignoresCase
    }
}
