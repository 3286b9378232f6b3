package import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// Takes that are older than their cassette allows, as `check` reports them.
package enum CassetteAge {
    /// At most one, at `maxAge`: an error where the cassette is not to be played then.
    package static func diagnostics(_ result: CassetteReader.Result, path: String, now: Instant) -> [Diagnostic] {
        guard !result.hasErrors, let overage = result.cassette.overage(at: now) else { return [] }
        let place = result.document?.root?["maxAge"]?.position
        return [
            Diagnostic(
                severity: overage.maxAge.consequence == .fail ? .error : .warning,
                path: path,
                line: place?.line,
                column: place?.column,
                message: overage.message(for: result.cassette)
            )
        ]
    }
}

/// Answers that a client may refuse by now, as `check` reports them.
package enum CassetteExpiry {
    /// At most one warning.
    package static func diagnostics(_ result: CassetteReader.Result, path: String, now: Instant) -> [Diagnostic] {
        guard !result.hasErrors else { return [] }
        let expired = result.cassette.expired(at: now)
        guard let first = expired.first else { return [] }
        let others = expired.count - 1
        let more = others > 0 ? "; likewise \(Plural.text(others, "other answer", "other answers"))" : ""
        return [
            Diagnostic(
                severity: .warning,
                path: path,
                message: "in an answer of \"\(first.set)\" \(first.expiry.text)\(more)"
            )
        ]
    }
}

extension Cassette.Overage {
    /// The message for users, with the remedy.
    package func message(for cassette: Cassette) -> String {
        "\(self.description): ask the live API again with `tapedeck refresh \(cassette.path ?? cassette.name)`"
    }
}

extension Cassette {
    /// A sentence for each made-up token with a public-key signature: which response set has the JWKS that verifies it.
    package var signedTokens: [String] {
        let tokens = self.secrets.compactMap { secret in
            secret.shape.flatMap { TokenShape($0) }.map { (name: secret.name, token: $0) }
        }.filter(\.token.hasPublicKey)
        guard !tokens.isEmpty else { return [] }
        let keySets = self.keySets
        return tokens.map { name, token in
            let keySet = keySets.first { PlayedKeySet.has(token.keyID, algorithm: token.algorithm, in: $0.body) }
            let signed = "\(name) is signed with \(token.algorithm)"
            if let keySet { return "\(signed) and verified by the JWKS of \(keySet.set)" }
            return
                "\(signed); no JWKS on this tape has its key\(token.keyID.map { " \($0)" } ?? ""), so it does not verify"
        }
    }

    private var keySets: [(set: String, body: [UInt8])] {
        self.responseSets.flatMap { set in
            set.variants.flatMap(\.behaviour.allTakes).compactMap { take -> (String, [UInt8])? in
                let body =
                    switch take.body {
                    case .none: [UInt8]()
                    case .inline(let body): body.decoded
                    case .file(let file):
                        file.size <= PlayedKeySet.limit ? (try? file.contents()) ?? [] : []
                    }
                return PlayedKeySet.mayBe(body) ? (set.name, body) : nil
            }
        }
    }
}
