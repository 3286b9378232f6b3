import NIOCore
import Testing

@testable import TapedeckTLS

@Suite struct SHA256Tests {
    private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `the hashes equal those of FIPS 180-4`() {
        #expect(SHA256.hexDigest(of: "abc".utf8) == Self.ofABC)
        #expect(
            SHA256.hexDigest(of: [])
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test func `pieces of every kind add up to one hash`() {
        let hash = SHA256()
        hash.update("a".utf8)
        hash.update(ByteBuffer(string: "b").readableBytesView)
        [UInt8(ascii: "c")].withUnsafeBytes { hash.update($0) }
        #expect(hash.finalizeHex() == Self.ofABC)
    }

    @Test func `a finished hash starts afresh`() {
        let hash = SHA256()
        hash.update("something else".utf8)
        _ = hash.finalize()
        hash.update("abc".utf8)
        #expect(hash.finalizeHex() == Self.ofABC)
    }
}
