import Testing

@testable import TapedeckControlClient

@Suite struct ControlAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:4748", "127.0.0.1", 4748, "127.0.0.1:4748"),
        ("http://127.0.0.1:4748/", "127.0.0.1", 4748, "127.0.0.1:4748"),
        ("HTTP://deck.local", "deck.local", 80, "deck.local"),
        ("http://[::1]:4748", "::1", 4748, "[::1]:4748"),
        ("http://[::1]", "::1", 80, "[::1]"),
    ])
    func `a deck is a host and a port`(_ text: String, _ host: String, _ port: Int, _ authority: String) throws {
        let address = try ControlAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.authority == authority)
    }

    @Test(arguments: [
        "", "127.0.0.1:4748", "https://127.0.0.1:4748", "http://", "http:///", "http://:4748", "http://a:b",
        "http://a:0", "http://a:70000", "http://a/v1", "http://me@a", "http://a?x", "http://::1:4748", "http://[::1",
        "http://a b", "http://a\r\nX: y",
    ])
    func `anything else is refused, with an example`(_ text: String) throws {
        let error = try #require(throws: ControlError.self) { _ = try ControlAddress(text) }
        #expect(error.kind == .badURL)
        #expect(error.description.contains("http://127.0.0.1:4748"))
    }
}
