import TapedeckCassettes
import TapedeckCore

/// The response sets and variants of a cassette, with how often some runs played them.
package struct CassetteCoverage: Encodable, Sendable, Equatable {
    /// One variant of a response set.
    package struct Variant: Encodable, Sendable, Equatable {
        package var name: String
        /// The number of answers it gave.
        package var played: Int
        /// True for a variant that every set has without having it in the cassette, such as `offline`.
        package var isBuiltIn: Bool
    }

    /// One response set.
    package struct ResponseSet: Encodable, Sendable, Equatable {
        package var name: String
        /// Methods and URL.
        package var request: String
        /// The number of requests for it.
        package var asked: Int
        /// False for a set that is newer than all reports.
        package var isOnReport: Bool
        /// Those of the cassette in its order, then the built-in ones that played.
        package var variants: [Variant]

        /// True if one of its variants played.
        package var isPlayed: Bool { self.variants.contains { $0.played > 0 } }
    }

    package var path: String
    /// In the order of the cassette.
    package var responseSets: [ResponseSet]

    /// Compares a cassette with what was played of it.
    ///
    /// - Parameters:
    ///   - path: the cassette's file, as it is shown.
    ///   - usage: how often all runs together used the cassette.
    init(_ cassette: Cassette, path: String, usage: CassetteUsage) {
        self.path = path
        let index = UsageIndex(usage)
        self.responseSets = cassette.responseSets.map { set in
            let seen = index.usage(of: set)
            let played = seen.reduce(into: [:]) { $0.merge($1.variants, uniquingKeysWith: +) }
            let own = set.variants.map(\.name)
            let builtIn = BuiltInVariant.allCases.map(\.rawValue).filter { !own.contains($0) && played[$0] != nil }
            return ResponseSet(
                name: set.name,
                request: set.request.line,
                asked: seen.reduce(0) { $0 + $1.asked },
                isOnReport: !seen.isEmpty,
                variants: own.map { Variant(name: $0, played: played[$0] ?? 0, isBuiltIn: false) }
                    + builtIn.map { Variant(name: $0, played: played[$0] ?? 0, isBuiltIn: true) }
            )
        }
    }
}
