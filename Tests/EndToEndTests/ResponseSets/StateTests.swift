import Foundation
import Testing

/// Sets whose answers depend on earlier requests.
@Suite(.ownThreads) struct StateTests {
    private static let cart = """
        tapedeck: 1
        responseSets:
          - name: empty cart
            request: { method: GET, url: http://shop.example/cart }
            requires: { cart: null }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: nothing } }] }]
          - name: full cart
            request: { method: GET, url: http://shop.example/cart }
            requires: { cart: full }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: a book } }] }]
          - name: add
            request: { method: POST, url: http://shop.example/cart }
            sets: { cart: full }
            variants: [{ name: ok, empty: 201 }]
          - name: clear
            request: { method: DELETE, url: http://shop.example/cart }
            sets: { cart: null }
            variants: [{ name: ok, empty: true }]

        """
    private static let url = "http://shop.example/cart"

    @Test func `a cart is empty, then full, then empty again`() throws {
        let played = try PlayedCassette(Self.cart)
        #expect(try played.ask(Self.url) == "nothing")
        #expect(try played.ask("-X", "POST", Self.url) == "201")
        #expect(try played.ask(Self.url) == "a book")
        #expect(try played.ask("-X", "DELETE", Self.url) == "204")
        #expect(try played.ask(Self.url) == "nothing")
        try played.stop()
    }

    @Test func `the state at first is the file's or the command line's, and a new run begins with it`() throws {
        let byFile = try PlayedCassette(
            Self.cart.replacing("responseSets:", with: "state: { cart: full }\nresponseSets:")
        )
        #expect(try byFile.ask(Self.url) == "a book")
        #expect(try byFile.ask("-X", "DELETE", Self.url) == "204")
        #expect(try byFile.ask(Self.url) == "nothing")
        try byFile.stop()
        let again = try byFile.folder.serve("replay", "x")
        #expect(try byFile.folder.curl(again, Self.url).outputText == "a book")
        try again.stop()
        let byOption = try PlayedCassette(Self.cart, "--state", "cart=full")
        #expect(try byOption.ask(Self.url) == "a book")
        try byOption.stop()
    }

    @Test func `a variant changes the state, and a condition checks it`() throws {
        let played = try PlayedCassette(
            """
            tapedeck: 1
            responseSets:
              - name: door
                request: { url: http://a.example/door }
                variants:
                  - name: ok
                    when: { state: { door: open } }
                    then: { takes: [{ status: 200, body: { text: open } }], sets: { door: null } }
                    otherwise: { empty: 423, sets: { door: open } }

            """
        )
        #expect(try played.ask(times: 4, "http://a.example/door") == ["423", "open", "423", "open"])
        try played.stop()
    }
}
