import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction

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
