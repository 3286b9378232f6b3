import TapedeckCassettes
import TapedeckTLS
import Testing

@testable import TapedeckDeck

/// The trust store for Java is kept from run to run, and made anew for other certificates and after a power cut.
@Suite final class KeptTrustStoreTests {
    private let folder = ProcessEnvironment.temporaryFolder("kept-trust-store-\(UInt32.random(in: 0 ... .max))")
    private let bundle: [UInt8]

    init() throws {
        self.bundle = Array(try CertificateAuthority.ephemeral().certificatePEM.utf8)
    }

    deinit {
        FileContents.removeTree(self.folder)
    }

    private func kept() -> [String] { FileContents.names(in: self.folder) }

    @Test func `a store is kept for its certificates alone`() throws {
        let first = try KeptTrustStore.bytes(for: self.bundle, in: self.folder)
        let names = self.kept()
        #expect(names.count == 1)
        // OpenSSL salts each store that it makes, so an equal one was kept.
        #expect(try KeptTrustStore.bytes(for: self.bundle, in: self.folder) == first)
        let second = try KeptTrustStore.bytes(for: self.bundle + self.bundle, in: self.folder)
        #expect(second.count > first.count)
        #expect(self.kept().count == 1)
        #expect(self.kept() != names)
    }

    @Test func `a damaged store is made anew`() throws {
        let folder = self.folder
        let store = try KeptTrustStore.bytes(for: self.bundle, in: folder)
        let path = FilePath.join(folder, try #require(self.kept().first))
        let bytes = try FileContents.read(path)
        for damaged in [[], Array(bytes.prefix(40)), Array(bytes.dropLast(1)), bytes.map { $0 ^ 1 }] {
            try FileContents.replace(path, with: damaged)
            #expect(try KeptTrustStore.bytes(for: self.bundle, in: folder).count == store.count)
            #expect(try FileContents.read(path).count == bytes.count)
        }
    }

    @Test func `without a folder that can be written there is a store`() throws {
        #expect(try !KeptTrustStore.bytes(for: self.bundle, in: nil).isEmpty)
        #expect(try !KeptTrustStore.bytes(for: self.bundle, in: "/proc/nowhere").isEmpty)
    }
}
