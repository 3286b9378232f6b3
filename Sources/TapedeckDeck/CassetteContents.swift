import TapedeckCassettes
import TapedeckCore

/// The content of a cassette, as `tapedeck show --json` prints it.
package struct CassetteContents: Encodable, Sendable {
    struct ResponseSet: Encodable {
        var name: String
        /// The methods and the URL.
        var request: String
        /// The names of further conditions.
        var conditions: [String]
        var priority: Int
        var variants: [Variant]
    }

    struct Variant: Encodable {
        var name: String
        var isDefault: Bool
        /// A text of the parts that play beyond takes; empty for takes alone.
        var plays: String
        var takes: [Take]
    }

    struct Take: Encodable {
        /// `nil` for a fault alone.
        var status: Int?
        var fault: String?
        /// The size of the body without its content coding, in bytes.
        var bodySize: Int
    }

    struct Profile: Encodable {
        var name: String
        var choices: [Choice]
    }

    struct Choice: Encodable {
        /// A response set, an origin, or `*` for all.
        var target: String
        var variant: String
    }

    let path: String
    let about: String?
    let responseSets: [ResponseSet]
    let profiles: [Profile]

    init(_ cassette: Cassette, path: String) {
        self.path = path
        self.about = cassette.about
        self.responseSets = cassette.responseSets.map { set in
            ResponseSet(
                name: set.name,
                request: set.request.line,
                conditions: set.request.conditionNames + set.requires.map { "requires \($0.key)" },
                priority: set.priority,
                variants: set.variants.enumerated().map { index, variant in
                    Variant(
                        name: variant.name,
                        isDefault: index == set.defaultVariant,
                        plays: variant.behaviour.summary,
                        takes: variant.behaviour.allTakes.map { take in
                            Take(
                                status: take.isFaultAlone ? nil : take.status,
                                fault: take.fault?.rawValue,
                                bodySize: take.body.decodedSize
                            )
                        }
                    )
                }
            )
        }
        self.profiles = cassette.profiles.map { profile in
            Profile(
                name: profile.name,
                choices: profile.choices.map { Choice(target: CassetteTable.name($0.target), variant: $0.variant) }
            )
        }
    }
}
