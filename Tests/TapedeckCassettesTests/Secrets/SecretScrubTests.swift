import TapedeckCodings
import TapedeckCore
import TapedeckMaintenance
import TapedeckRedaction
import Testing

@testable import TapedeckCassettes

/// Secrets, and nothing else, are removed from existing cassettes.
@Suite struct SecretScrubTests {
    private static func scrub(_ fixture: CassetteFixture, writes: Bool = true) throws -> SecretScrub.Outcome {
        try SecretScrub.scrub(
            fixture.location,
            settings: [],
            environment: [:],
            digest: TestDigest.digest,
            writes: writes
        )
    }

    private static func findings(_ fixture: CassetteFixture) throws -> [ScanFinding] {
        try SecretScan().findings(in: fixture.location.path)
    }

    @Test(arguments: SecretSamples.places.indices)
    func `a secret is found and removed in every place, and comments stay`(index: Int) throws {
        let place = SecretSamples.places[index]
        let fixture = try CassetteFixture(place.yaml)
        let found = try Self.findings(fixture)
        #expect(!found.isEmpty, "\(place.name)")
        for finding in found {
            guard case .secret(_, _, let rule) = finding.kind else {
                Issue.record("\(place.name): \(finding)")
                continue
            }
            #expect(rule != nil, "\(place.name): \(finding)")
        }
        let outcome = try Self.scrub(fixture)
        #expect(outcome.texts == 1 && outcome.files == 0 && outcome.left.isEmpty, "\(place.name)")
        let text = try fixture.text
        #expect(text.contains(place.after), "\(place.name): \(text)")
        for secret in [SecretSamples.token, SecretSamples.password, SecretSamples.key] {
            #expect(!text.contains(secret), "\(place.name)")
            #expect(!found.map(\.description).joined().contains(secret))
        }
        for kept in ["# Mine.", "# kept", "# kept, too"] { #expect(text.contains(kept), "\(place.name): \(text)") }
        for name in outcome.names {
            #expect(
                try fixture.load().secrets.contains { $0.name == name && $0.shape != nil },
                "\(place.name): \(text)"
            )
        }
        #expect(try Self.findings(fixture).isEmpty, "\(place.name)")
        let again = try Self.scrub(fixture)
        #expect(!again.changed, "\(place.name)")
        #expect(try fixture.text == text)
    }

    @Test(arguments: [false, true])
    func `base64 and gzip are searched, and keep their form`(isPacked: Bool) throws {
        let json = #"{"access_token":"\#(SecretSamples.token)"}"#
        let body = isPacked ? SecretSamples.packed(json) : SecretSamples.base64(json)
        let fixture = try CassetteFixture(SecretSamples.set(take: "body: { base64: \(body) }"))
        let found = try Self.findings(fixture)
        #expect(found.map(\.isEncoded) == [true], "\(found)")
        #expect(found.map(\.line) == [12], "\(found)")
        let outcome = try Self.scrub(fixture)
        #expect(outcome.names == ["access_token"])
        let cassette = try fixture.load()
        #expect(cassette.secrets.map(\.name) == ["access_token"])
        let bytes = try fixture.decoded(cassette.responseSets[0].variants[0].takes[0].body)
        let content = isPacked ? try ContentCoder.decode(bytes, .gzip, limit: 1_000) : bytes
        #expect(String(decoding: content, as: UTF8.self) == #"{"access_token":"{{secret.access_token}}"}"#)
        #expect(try Self.findings(fixture).isEmpty)
        let again = try Self.scrub(fixture)
        #expect(!again.changed)
    }

    @Test func `a body file is written under the name of its new content`() throws {
        let content = Array(#"{"access_token": "\#(SecretSamples.token)"}"#.utf8)
        let name = "api/x-\(TestDigest.digest(content).prefix(12)).json"
        let fixture = try CassetteFixture(SecretSamples.set(take: "body: { file: \(name) }   # large"))
        try fixture.folder.write(String(decoding: content, as: UTF8.self), to: name)
        let found = try Self.findings(fixture)
        #expect(found.map(\.path) == [fixture.folder.path(name)])
        #expect(found.map(\.line) == [1])
        let trial = try Self.scrub(fixture, writes: false)
        #expect(trial.files == 1)
        #expect(fixture.bodyFiles == [String(name.dropFirst(4))])
        let outcome = try Self.scrub(fixture)
        #expect(outcome.files == 1)
        #expect(outcome.names == ["access_token"])
        let now = Array(#"{"access_token": "{{secret.access_token}}"}"#.utf8)
        #expect(fixture.bodyFiles == ["x-\(TestDigest.digest(now).prefix(12)).json"])
        #expect(try fixture.bodies(of: "one") == [String(decoding: now, as: UTF8.self)])
        #expect(try fixture.text.contains("# large"))
        let again = try Self.scrub(fixture)
        #expect(!again.changed)
    }

    @Test func `a user's own file stays, and is reported`() throws {
        let fixture = try CassetteFixture(SecretSamples.set(take: "body: { file: mine.txt }"))
        try fixture.folder.write("it is \(SecretSamples.token)", to: "mine.txt")
        let outcome = try Self.scrub(fixture)
        #expect(outcome.left.map(\.kind) == [.foreignFile])
        #expect(!outcome.changed)
        #expect(try fixture.folder.text("mine.txt").contains(SecretSamples.token))
    }

    @Test func `a secret has one name in every place, also before the place where it is found`() throws {
        let text = SecretSamples.set(request: "url: https://a.test/\(SecretSamples.key)/me")
            .replacing(
                "status: 204",
                with: "status: 200\n            headers:\n              - X-Api-Key: \(SecretSamples.key)"
            )
            .replacing("- name: one", with: "- name: GET a.test/\(SecretSamples.key)/me")
        let fixture = try CassetteFixture(text + "profiles:\n  all: { GET a.test/\(SecretSamples.key)/me: recorded }\n")
        let outcome = try Self.scrub(fixture)
        #expect(outcome.texts == 4)
        #expect(outcome.names.count == 1)
        let name = try #require(outcome.names.first)
        let cassette = try fixture.load()
        #expect(cassette.responseSets[0].name == "GET a.test/{{secret.\(name)}}/me")
        #expect(try !fixture.text.contains(SecretSamples.key))
    }

    @Test func `names in the cassette belong to their secrets`() throws {
        let text = SecretSamples.set(take: "body: { json: '{\"access_token\": \"\(SecretSamples.token)\"}' }")
            .replacing("responseSets:", with: "secrets:\n  access_token: { shape: jwt }   # old\nresponseSets:")
        let fixture = try CassetteFixture(text)
        let outcome = try Self.scrub(fixture)
        #expect(outcome.names == ["access_token-2"])
        #expect(try fixture.text.contains("  access_token: { shape: jwt }   # old\n  access_token-2: { shape: "))
    }

    @Test func `rules of the cassette and of the project define secrets`() throws {
        let text = SecretSamples.set(
            take: "body: { json: '{\"tenant\": \"acme-corp-77\", \"password\": \"\(SecretSamples.password)\"}' }"
        )
        .replacing("responseSets:", with: "redact: { off: [passwords] }\nresponseSets:")
        let fixture = try CassetteFixture(text)
        let tenant = RedactionRule(name: "tenant", place: .json(try JSONPath("$.tenant")))
        let outcome = try SecretScrub.scrub(
            fixture.location,
            settings: [RedactionSettings(rules: [tenant])],
            environment: [:],
            digest: TestDigest.digest,
            writes: true
        )
        #expect(outcome.names == ["tenant"])
        #expect(try fixture.text.contains(SecretSamples.password))
    }
}
