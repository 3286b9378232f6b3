import TestShare
import Testing

@testable import TapedeckTLS

@Suite struct CertificateAuthorityTests {
    @Test func `the CA certificate meets the checks of verifiers`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let text = try describe(authority.certificatePEM)
        #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"))
        #expect(text.contains("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"))
        #expect(text.contains("X509v3 Subject Key Identifier"))
        #expect(text.contains("ASN1 OID: prime256v1"))
    }

    @Test func `subject, fingerprint and expiry are those that openssl prints`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let command = ["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-enddate", "-dateopt", "iso_8601"]
        let output = try run(command, input: authority.certificatePEM).output
        #expect(output.contains("=\(authority.fingerprint)\n"))
        #expect(output.contains("notAfter=\(authority.expires) "))
        #expect(authority.subject.wholeMatch(of: /CN=Tapedeck CA [0-9a-f]{6}, O=Tapedeck/) != nil)
    }

    @Test func `two authorities have two names`() throws {
        let subjects = try (0..<8).map { _ in try CertificateAuthority.ephemeral().subject }
        #expect(Set(subjects).count == subjects.count)
    }

    @Test func `a leaf meets the checks of verifiers`() throws {
        let text = try describe(CertificateAuthority.ephemeral().issueLeaf(for: "API.example.com").certificatePEM)
        #expect(text.contains("Version: 3"))
        #expect(text.contains("Subject: CN = api.example.com"))
        #expect(text.contains("X509v3 Subject Alternative Name: \n                DNS:api.example.com\n"))
        #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
        #expect(text.contains("X509v3 Key Usage: critical\n                Digital Signature\n"))
        #expect(text.contains("X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n"))
        #expect(text.contains("X509v3 Subject Key Identifier"))
    }

    @Test func `a leaf's authority key identifier is the one stored in the CA`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let ca = try describe(authority.certificatePEM)
        let leaf = try describe(authority.issueLeaf(for: "example.com").certificatePEM)
        let stored = try #require(ca.firstMatch(of: /Subject Key Identifier: \n\s+([0-9A-F:]{59})\n/)).1
        let named = try #require(leaf.firstMatch(of: /Authority Key Identifier: \n\s+([0-9A-F:]{59})\n/)).1
        #expect(stored == named)
    }

    @Test func `a leaf lasts 197 days from a day ago, but no longer than its CA`() throws {
        let now: Int64 = 1_800_000_000
        let authority = try CertificateAuthority.make(now: now)
        let host = try CertificateHost("example.com")
        #expect(try authority.issueLeaf(for: host, now: now).expiresAt == now + 196 * 86_400 - 1)
        let nearTheEnd = authority.expiresAt - 86_400
        #expect(try authority.issueLeaf(for: host, now: nearTheEnd).expiresAt == authority.expiresAt)
    }

    @Test(.long) func `serial numbers are positive, long and never twice the same`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let serials = try (0..<20).map { _ in
            let pem = try authority.issueLeaf(for: "example.com").certificatePEM
            return try run(["openssl", "x509", "-noout", "-serial"], input: pem).output
        }
        #expect(Set(serials).count == 20)
        #expect(serials.allSatisfy { $0.wholeMatch(of: /serial=[4-7][0-9A-F]{31}\n/) != nil })
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::1", "0:0:0:0:0:0:0:1"),
            ("2001:DB8::a", "2001:DB8:0:0:0:0:0:A"),
        ]
    )
    func `an address is an address in a certificate, not a name`(host: String, shown: String) throws {
        let text = try describe(CertificateAuthority.ephemeral().issueLeaf(for: host).certificatePEM)
        #expect(text.contains("X509v3 Subject Alternative Name: \n                IP Address:\(shown)\n"))
        #expect(!text.contains("DNS:"))
    }

    @Test func `a name too long for a CN is only in a critical subjectAltName`() throws {
        let host = String(repeating: "a", count: 60) + ".example.com"
        let text = try describe(CertificateAuthority.ephemeral().issueLeaf(for: host).certificatePEM)
        #expect(text.contains("X509v3 Subject Alternative Name: critical\n                DNS:\(host)\n"))
        #expect(!text.contains("CN = a"))
    }

    @Test(arguments: ["example.com", "127.0.0.1", String(repeating: "a", count: 60) + ".example.com"])
    func `leaves pass the strict verification of OpenSSL`(host: String) throws {
        let temporary = try TemporaryDirectory()
        let authority = try CertificateAuthority.ephemeral()
        let ca = try temporary.file("ca.pem", authority.certificatePEM)
        let leaf = try temporary.file("leaf.pem", authority.issueLeaf(for: host).certificatePEM)
        let name = host == "127.0.0.1" ? "-verify_ip" : "-verify_hostname"
        let command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca, name]
        let result = try run(command + [host, leaf])
        #expect(result.status == 0, "\(result.output)")
        let wrong = host == "127.0.0.1" ? "127.0.0.2" : "other.example"
        #expect(try run(command + [wrong, leaf]).status != 0)
    }

    @Test func `all leaves share one key, which is not the CA's`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let key = try authority.issueLeaf(for: "a.example").privateKeyPEM
        #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(try authority.issueLeaf(for: "b.example").privateKeyPEM == key)
        #expect(try PEM.encode(authority.key) != key)
    }
}
