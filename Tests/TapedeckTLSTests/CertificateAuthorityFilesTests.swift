import Foundation
import Testing

@testable import TapedeckTLS

@Suite struct CertificateAuthorityFilesTests {
    @Test func `the first use makes directory, key and certificate with their modes`() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path + "/deep/er"
        let authority = try CertificateAuthority.loadOrCreate(in: directory)
        #expect(try mode(of: temporary.path + "/deep") == 0o700)
        #expect(try mode(of: directory) == 0o700)
        #expect(try mode(of: directory + "/ca-key.pem") == 0o600)
        #expect(try mode(of: directory + "/ca.pem") == 0o644)
        #expect(try String(contentsOfFile: directory + "/ca.pem", encoding: .utf8) == authority.certificatePEM)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(files == ["ca-key.pem", "ca.lock", "ca.pem"])
    }

    @Test func `the second use reads the files of the first`() throws {
        let temporary = try TemporaryDirectory()
        let first = try CertificateAuthority.loadOrCreate(in: temporary.path)
        let second = try CertificateAuthority.loadOrCreate(in: temporary.path)
        #expect(first.certificateDER == second.certificateDER)
        // Only the right key signs what the certificate verifies.
        let pem = try second.issueLeaf(for: "example.com").certificatePEM
        let leaf = try temporary.file("leaf.pem", pem)
        let result = try run(["openssl", "verify", "-CAfile", temporary.path + "/ca.pem", leaf])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test func `many starts at once agree on one authority`() async throws {
        let temporary = try TemporaryDirectory()
        // Without the lock about every third round would fail.
        for round in 0..<30 {
            let directory = temporary.path + "/ca\(round)"
            let fingerprints = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask { try CertificateAuthority.loadOrCreate(in: directory).fingerprint }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(fingerprints.count == 1)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610])
    func `a key that others can use is refused with the command that mends it`(mode: Int) throws {
        let temporary = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
        let key = temporary.path + "/ca-key.pem"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityPermissions)
        #expect(error.message.contains("chmod 600 \(key)"))
        #expect(error.message.contains("0" + String(mode, radix: 8)))
    }

    @Test(arguments: [0o775, 0o757, 0o1777])
    func `a folder that others can write is refused with the command that mends it`(mode: Int) throws {
        let temporary = try TemporaryDirectory()
        for isMade in [false, true] {
            if isMade {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: temporary.path)
                _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
            }
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.path)
            let error = try #require(throws: TLSError.self) {
                try CertificateAuthority.loadOrCreate(in: temporary.path)
            }
            #expect(error.code == .authorityPermissions)
            #expect(error.message.contains("chmod go-w \(temporary.path)"), "\(error.message)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"), arguments: ["", "/ca-key.pem"])
    func `a folder or a key of another user is refused`(name: String) throws {
        let temporary = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
        try #require(chown(temporary.path + name, 12_345, gid_t.max) == 0)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityPermissions)
        #expect(error.message.contains("chown"), "\(error.message)")
        #expect(error.message.contains(temporary.path + name), "\(error.message)")
    }

    @Test(arguments: ["ca.pem", "ca-key.pem"])
    func `one file without the other is refused and left alone`(missing: String) throws {
        let temporary = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
        try FileManager.default.removeItem(atPath: temporary.path + "/" + missing)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityIncomplete)
        #expect(error.message.contains(temporary.path + "/" + missing))
        #expect(!FileManager.default.fileExists(atPath: temporary.path + "/" + missing))
    }

    @Test func `a key of another certificate is refused`() throws {
        let first = try TemporaryDirectory()
        let second = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: first.path)
        _ = try CertificateAuthority.loadOrCreate(in: second.path)
        let certificate = try String(contentsOfFile: second.path + "/ca.pem", encoding: .utf8)
        _ = try first.file("ca.pem", certificate)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: first.path)
        }
        #expect(error.code == .authorityMismatch)
    }

    @Test(arguments: ["ca.pem", "ca-key.pem"], ["", "-----BEGIN CERTIFICATE-----\nAAAA\n", "no PEM at all"])
    func `a file that holds something else is refused by name`(name: String, text: String) throws {
        let temporary = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
        let path = temporary.path + "/" + name
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityCorrupt)
        #expect(error.message.contains(path))
    }

    @Test func `an encrypted key is refused without asking for its pass phrase`() throws {
        let temporary = try TemporaryDirectory()
        _ = try CertificateAuthority.loadOrCreate(in: temporary.path)
        let path = temporary.path + "/ca-key.pem"
        let plain = temporary.path + "/plain.pem"
        try FileManager.default.moveItem(atPath: path, toPath: plain)
        let command = ["openssl", "pkcs8", "-topk8", "-in", plain, "-out", path, "-passout", "pass:secret"]
        try #require(try run(command).status == 0)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityCorrupt)
        #expect(error.message.contains("pass phrase"))
    }

    @Test func `a certificate that may not sign is refused`() throws {
        let temporary = try TemporaryDirectory()
        let leaf = try CertificateAuthority.ephemeral().issueLeaf(for: "example.com")
        _ = try temporary.file("ca.pem", leaf.certificatePEM)
        let key = try temporary.file("ca-key.pem", leaf.privateKeyPEM)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path)
        }
        #expect(error.code == .authorityCorrupt)
    }

    @Test func `an expired authority is refused with its date`() throws {
        let temporary = try TemporaryDirectory()
        let made = try CertificateAuthority.loadOrCreate(in: temporary.path, now: 1_500_000_000)
        #expect(made.expires == "2027-07-14")
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: temporary.path, now: 1_900_000_000)
        }
        #expect(error.code == .authorityExpired)
        #expect(error.message.contains("2027-07-14"))
    }

    @Test func `a directory that is a file is an error with its path`() throws {
        let temporary = try TemporaryDirectory()
        let file = try temporary.file("file", "x")
        let error = try #require(throws: TLSError.self) {
            try CertificateAuthority.loadOrCreate(in: file + "/ca")
        }
        #expect(error.code == .authorityUnreadable)
        #expect(error.message.contains(file))
    }
}
