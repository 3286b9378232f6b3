import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// The parts of a JSON Web Token that a made-up one keeps.
@Suite struct TokenShapeTests {
    private static func token(_ header: String, _ claims: String) -> String {
        let parts = [header, claims].map { String(decoding: Base64.encodeURL(Array($0.utf8)), as: UTF8.self) }
        return parts.joined(separator: ".") + ".dGhlIHNpZ25hdHVyZSBvZiB0aGUgdG9rZW4"
    }

    private static func claims(_ token: String) throws -> JSONValue {
        let part = token.split(separator: ".")[1]
        let bytes = Array(part.utf8).withUnsafeBytes { Base64.decodeEither($0) }
        return try JSONValue(parsing: try #require(bytes))
    }

    /// Says what it signed instead of a signature.
    private static let signer = TokenSigner(
        signature: { algorithm, _ in algorithm == "RS256" ? Array("signed by RS256".utf8) : nil },
        leftHalf: { _, bytes in Array("half of ".utf8) + bytes },
        publicMembers: { $0 == "RS256" ? [("n", Array("our modulus".utf8)), ("e", [1, 0, 1])] : [] },
        privateKey: { "-----BEGIN \($0.rawValue)-----" }
    )

    @Test func `Private keys play as keys of their kind, and differ`() {
        let secrets = [("a", "pem-ec"), ("b", "pem-ec"), ("c", "pem")].map { SecretDescription(name: $0, shape: $1) }
        let values = SecretValues(secrets, environment: [:], signer: Self.signer)
        #expect(values.value("a") == "-----BEGIN pem-ec-----")
        #expect(values.value("b") == "-----BEGIN pem-ec-----\n")
        #expect(values.value("c") == "-----BEGIN pem-----")
    }

    /// The shapes of the secrets of an answer to a login, by name.
    private static func login() throws -> [SecretDescription] {
        let redactor = try redactor()
        let claims = """
            {"iss":"https://id.example.com","aud":"app","sub":"248289761001","email":"jane@company.example","exp":1600000000,\
            "iat":1599999000,"nonce":"n-0S6_WzA2MjQ8rTy5","at_hash":"77QmUPtjPfzWtF2AnpK9RA","employee":"4711"}
            """
        let id = Self.token(#"{"alg":"RS256","kid":"k1","x5t":"abc"}"#, claims)
        let url = "https://id.example.com/authorize?client_id=app&nonce=n-0S6_WzA2MjQ8rTy5"
        _ = try redactor.redact(exchange(url: url), isLive: true)
        let body = #"{"access_token":"q7Rk2ZpX9sLw4VbN8tYc","id_token":"\#(id)"}"#
        let taped = try redactor.redact(exchange(responseBody: body), isLive: true)
        #expect(!taped.response.body.text.contains("eyJ"))
        let numbers = taped.response.body.text
        return SecretPlaceholder.all(in: numbers + redactor.text(url)).compactMap { _, placeholder in
            guard let number = placeholder.number else { return nil }
            let shape = SecretPlaceholder.replacing(in: redactor.vault.shape(number).text) { other in
                SecretPlaceholder(name: other.name, form: other.form).text
            }
            return SecretDescription(name: placeholder.name, shape: shape)
        }
    }

    @Test func `Harmless header fields and claims are kept`() throws {
        let shape = try #require(try Self.login().first { $0.name == "id_token" }?.shape)
        let token = try #require(TokenShape(shape))
        #expect(token.header == #"{"alg":"RS256","kid":"k1"}"#)
        #expect(
            token.claims == """
                {"iss":"https://id.example.com","aud":"app","sub":"user-1","email":"user-1@example.com","exp":4102444800,\
                "iat":1700000000,"nonce":"{{secret.nonce}}","at_hash":"{{secret.access_token}}"}
                """
        )
        #expect(try SecretShape(shape).text == shape)
    }

    @Test func `The nonce is the session's, and at_hash that of the played access token`() throws {
        let values = SecretValues(try Self.login(), environment: [:], signer: Self.signer)
        let own = values.with(own: ["nonce": "of this login"])
        #expect(values.dependsOnSession("id_token"))
        #expect(!values.dependsOnSession("access_token"))
        let claims = try Self.claims(own.value("id_token"))
        #expect(claims["nonce"]?.stringValue == "of this login")
        let half = Base64.encodeURL(Array("half of \(own.value("access_token"))".utf8))
        #expect(claims["at_hash"]?.stringValue == String(decoding: half, as: UTF8.self))
        #expect(
            own.value("id_token").hasSuffix(
                String(decoding: Base64.encodeURL(Array("signed by RS256".utf8)), as: UTF8.self)
            )
        )
        #expect(
            values.value("id_token")
                == SecretValues(try Self.login(), environment: [:], signer: Self.signer).value("id_token")
        )
    }

    @Test func `A key set plays the key under the same id, and keeps other keys`() throws {
        let values = SecretValues(try Self.login(), environment: [:], signer: Self.signer)
        let live = """
            {"keys": [{"kty":"RSA","kid":"k1","n":"bGl2ZQ","e":"AQAB","alg":"RS256","x5c":["MII"]},\
            {"kty":"RSA","kid":"k2","n":"b3RoZXI","e":"AQAB"},{"kty":"EC","kid":"k1","x":"MQ","y":"Mg"}]}
            """
        let played = try #require(values.keySet(Array(live.utf8)))
        #expect(
            String(decoding: played, as: UTF8.self) == """
                {"keys":[{"kty":"RSA","kid":"k1","n":"b3VyIG1vZHVsdXM","e":"AQAB","alg":"RS256"},\
                {"kty":"RSA","kid":"k2","n":"b3RoZXI","e":"AQAB"},{"kty":"EC","kid":"k1","x":"MQ","y":"Mg"}]}
                """
        )
        #expect(values.keySet(Array(#"{"keys":[{"kty":"RSA","kid":"k9"}]}"#.utf8)) == nil)
        #expect(values.keySet(Array("{}".utf8)) == nil)
    }
}
