import TapedeckCore
import TapedeckMaintenance
import Testing

@testable import TapedeckCassettes

/// The places of secrets, and harmless texts.
@Suite struct SecretScanTests {
    @Test func `a finding has the line and column of the secret`() throws {
        let fixture = try CassetteFixture(
            SecretSamples.set(
                take:
                    "body:\n              json: |\n                {\n                  \"access_token\": \"\(SecretSamples.token)\"\n                }"
            )
        )
        let found = try SecretScan().findings(in: fixture.location.path)
        let line = try fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains(SecretSamples.token) }.map { $0 + 1 }
        #expect(found.map(\.line) == [line])
        #expect(found.map(\.column) == [36])
        guard case .secret("access_token", _, let rule)? = found.first?.kind else {
            Issue.record("\(found)")
            return
        }
        #expect(rule != nil)
    }

    @Test func `a word that looks random is found unless disabled`() throws {
        let random = "x8Kq2LmZ9vRt4WpYc7Nb1JdF"
        let fixture = try CassetteFixture(SecretSamples.set(take: "body: { text: 'hello \(random)' }"))
        let found = try SecretScan().findings(in: fixture.location.path)
        #expect(found.map(\.kind) == [.random(count: 24)])
        #expect(!found.map(\.description).joined().contains(random))
        #expect(try SecretScan(usesEntropy: false).findings(in: fixture.location.path).isEmpty)
    }

    @Test(arguments: [
        "ETag: '\"x8Kq2LmZ9vRt4WpYc7Nb1JdF\"'", "X-Request-Id: x8Kq2LmZ9vRt4WpYc7Nb1JdF",
        "X-Id: 7f3c1a9b-e2d4-4c6f-8a1b-0c2d4e6f8a9b", "Digest: sha-256=x8Kq2LmZ9vRt4WpYc7Nb1JdFx8Kq2LmZ9vRt4WpYc7N=",
        "Authorization: Bearer {{secret.access_token}}", "X-Api-Key: '<your key>'", "X-Api-Key: changeme",
        "Set-Cookie: sid=; Path=/",
    ])
    func `harmless text is not found`(field: String) throws {
        let fixture = try CassetteFixture(
            SecretSamples.set(take: "status: 200\n            headers:\n              - \(field)")
        )
        #expect(try SecretScan().findings(in: fixture.location.path).map(\.description) == [])
    }

    @Test func `a file that is not a cassette is searched as text`() throws {
        let fixture = try CassetteFixture()
        try fixture.folder.write("one\ntwo \(SecretSamples.token)\n", to: "notes.txt")
        let found = try SecretScan().findings(in: fixture.folder.path("notes.txt"))
        #expect(found.map(\.line) == [2])
        #expect(found.map(\.column) == [5])
    }

    @Test func `a value of the environment that the cassette names is found`() throws {
        let text = SecretSamples.set(take: "body: { text: 'plain-word-value' }")
            .replacing("responseSets:", with: "secrets: { pin: { environment: PIN } }\nresponseSets:")
        let fixture = try CassetteFixture(text)
        #expect(try SecretScan().findings(in: fixture.location.path).isEmpty)
        let found = try SecretScan(environment: ["PIN": "plain-word-value"]).findings(in: fixture.location.path)
        guard case .secret("pin", _, nil)? = found.first?.kind else {
            Issue.record("\(found)")
            return
        }
    }
}
