import TapedeckCassettes
import Testing

@testable import TapedeckDeck

/// The values of `--transparent`.
@Suite struct TransparentListeningTests {
    @Test func `a transparent port is for the same port, or for another`() throws {
        #expect(try TransparentListening("443") == TransparentListening(port: 443, originPort: 443))
        #expect(try TransparentListening("8443=443") == TransparentListening(port: 8443, originPort: 443))
        #expect(try TransparentListening("0=443") == TransparentListening(port: 0, originPort: 443))
        #expect(try TransparentListening("65535") == TransparentListening(port: 65_535, originPort: 65_535))
    }

    @Test(arguments: ["", "x", "443=", "=443", "1=2=3", "-1", "+1", "65536", "443 ", "443=x", "8443:443", "999999"])
    func `anything else is refused with advice`(_ text: String) throws {
        let error = try #require(throws: DeckError.self) { try TransparentListening(text) }
        #expect(error.kind == .badOption)
        #expect(error.description.contains("8443=443"))
    }

    @Test(arguments: ["0", "443=0"])
    func `an origin has a port`(_ text: String) throws {
        let error = try #require(throws: DeckError.self) { try TransparentListening(text) }
        #expect(error.description.contains("which port of origins"))
    }
}
