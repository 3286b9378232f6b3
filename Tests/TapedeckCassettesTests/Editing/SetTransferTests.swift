import TapedeckCassettes
import TapedeckCore
import Testing

/// Response sets that go from one cassette into another.
@Suite struct SetTransferTests {
    private let folder: TemporaryFolder
    private let store = CassetteStore(digest: TestDigest.digest)

    private static let shop = """
        # The shop.
        tapedeck: 1
        ignore: { query: [t] }
        secrets:
          token: { shape: a32 }
          other: { shape: a16 }
        responseSets:
          # In.
          - name: login
            request: { method: POST, url: https://api.example.com/login }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    body:
                      text: "{{secret.token}}"   # new each time
              - name: locked
                takes:
                  - status: 423

          - name: picture
            request: { url: https://img.example.com/a.png }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    body: { file: shop/a-0123456789ab.png }
                  - status: 200
                    body: { file: shop/by-hand.png }
        profiles:
          bad day: { login: locked, picture: recorded }

        """

    private static let accounts = """
        tapedeck: 1
        ignore:
            query: [t]
        responseSets:
            - name: me
              request: { url: https://api.example.com/me }
              variants:
                - name: recorded
                  empty: 204
        profiles:
            bad day:
                me: offline   # at least

        """

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.write(Self.shop, to: "shop.yaml")
        try self.folder.write(Self.accounts, to: "accounts.yaml")
        try self.folder.write("recorded", to: "shop/a-0123456789ab.png")
        try self.folder.write("by hand", to: "shop/by-hand.png")
    }

    private func location(_ name: String) -> CassetteLocation { CassetteLocation(name, folder: self.folder.path) }

    private func names(_ cassette: String) throws -> [String] {
        try self.store.load(self.location(cassette)).responseSets.map(\.name)
    }

    @Test func `a set goes with its comment, secrets, profiles and body files`() throws {
        try self.store.transfer(
            ["login", "picture"],
            from: self.location("shop"),
            to: self.location("accounts"),
            removing: false
        ).write(with: self.store)
        #expect(try self.folder.text("shop.yaml") == Self.shop)
        let text = try self.folder.text("accounts.yaml")
        #expect(text.contains("    # In.\n    - name: login\n      request: { method: POST,"), "\(text)")
        #expect(text.contains("text: \"{{secret.token}}\"   # new each time"))
        #expect(text.contains("token: { shape: a32 }") && !text.contains("other:"), "\(text)")
        #expect(
            text.contains("        me: offline   # at least\n        login: locked\n        picture: recorded\n"),
            "\(text)"
        )
        #expect(text.contains("body: { file: accounts/a-0123456789ab.png }"))
        #expect(try self.folder.text("accounts/by-hand.png") == "by hand")
        let (shop, accounts) = (
            try self.store.load(self.location("shop")), try self.store.load(self.location("accounts"))
        )
        #expect(accounts.responseSets.map(\.name) == ["me", "login", "picture"])
        #expect(accounts.responseSets[1] == shop.responseSets[0])
    }

    @Test(arguments: [
        (#"{ login: locked, "*": offline }"#, ["me: offline", "login: locked", "picture: offline"]),
        (#"{ "*": locked }"#, ["me: offline", "login: locked"]),
        (#"{ https://img.example.com: offline, "*": locked }"#, ["me: offline", "login: locked", "picture: offline"]),
    ])
    func `a choice for all sets goes along for each of them alone`(choices: String, expected: [String]) throws {
        try self.folder.write(
            Self.shop.replacing("{ login: locked, picture: recorded }", with: choices),
            to: "shop.yaml"
        )
        try self.store.merge([self.location("shop")], into: self.location("accounts"), removing: false)
            .write(with: self.store)
        let profile = try #require(try self.store.load(self.location("accounts")).profiles.first)
        let lines = profile.choices.map { choice in
            guard case .set(let name) = choice.target else { return "\(choice.target)" }
            return "\(name): \(choice.variant)"
        }
        #expect(lines == expected)
    }

    /// Empty lines between sets would become a part of a text that keeps those behind it.
    @Test(arguments: ["\n", ""], ["", "profiles: {}\n", "\n# The end.\n"])
    func `a set whose body ends in empty lines goes between others`(separator: String, end: String) throws {
        func set(_ name: String, _ body: String) -> String {
            """
              - name: \(name)
                request: { url: https://api.example.com/\(name) }
                variants:
                  - name: recorded
                    takes:
                      - status: 200
                        body: \(body)

            """
        }
        let events = "\n              text: |+\n                data: 1\n\n                data: 2\n"
        let head = "tapedeck: 1\nresponseSets:\n"
        try self.folder.write(head + set("stream", events) + "\n" + set("last", "{ text: x }"), to: "events.yaml")
        try self.folder.write(
            head + set("a", "{ text: a }") + separator + set("b", "{ text: b }") + separator + end,
            to: "target.yaml"
        )
        for names in [["stream"], ["last"]] {
            try self.store.transfer(
                names,
                from: self.location("events"),
                to: self.location("target"),
                removing: false
            ).write(with: self.store)
        }
        #expect(try self.names("target") == ["a", "b", "stream", "last"])
        // An answer that becomes such a text in its place.
        let path = self.folder.path("target.yaml")
        var cassette = try self.store.load(self.location("target"))
        let read = CassetteReader.read(try FileContents.read(path), name: "target", path: path)
        var text = EditedText(read)
        let stream = try #require(cassette.responseSets[2].variants[0].behaviour.allTakes.first)
        for index in [1, 3] {
            cassette.responseSets[index].variants[0].behaviour.changeTakes { $0.body = stream.body }
        }
        try text.change(to: cassette)
        #expect(text.cassette == cassette)
    }

    @Test func `a moved set leaves only a person's additions behind`() throws {
        try self.store.transfer(["picture"], from: self.location("shop"), to: self.location("new"), removing: true)
            .write(with: self.store)
        #expect(try self.names("shop") == ["login"])
        #expect(try self.names("new") == ["picture"])
        #expect(try self.folder.text("new.yaml").hasPrefix("# The shop.\ntapedeck: 1\nignore: { query: [t] }\n"))
        #expect(FileContents.names(in: self.folder.path("shop")) == ["by-hand.png"])
        #expect(FileContents.names(in: self.folder.path("new")) == ["a-0123456789ab.png", "by-hand.png"])
        #expect(
            FileContents.names(in: self.folder.path).sorted() == [
                "accounts.yaml", "new", "new.yaml", "shop", "shop.yaml",
            ]
        )
    }

    @Test func `a cassette is divided, and its parts make one again`() throws {
        try self.store.split(self.location("shop"), removing: true) { $0.name }.write(with: self.store)
        #expect(!FileContents.exists(self.folder.path("shop.yaml")))
        #expect(try self.names("shop-login") == ["login"])
        #expect(try self.names("shop-picture") == ["picture"])
        try self.store.merge([self.location("shop-picture")], into: self.location("shop-login"), removing: true)
            .write(with: self.store)
        #expect(!FileContents.exists(self.folder.path("shop-picture.yaml")))
        let whole = try self.store.load(self.location("shop-login"))
        #expect(whole.responseSets.map(\.name) == ["login", "picture"])
        #expect(whole.profiles.map(\.choices.count) == [2])
        #expect(try whole.bodyFiles.map { try $0.contents() } == [Array("recorded".utf8), Array("by hand".utf8)])
        // A set that both have in the same way is there once.
        let again = try self.store.merge(
            [self.location("shop-login")],
            into: self.location("accounts"),
            removing: false
        )
        try again.write(with: self.store)
        let twice = try self.store.merge(
            [self.location("shop-login")],
            into: self.location("accounts"),
            removing: false
        )
        #expect(twice.isEmpty)
        #expect(try self.names("accounts") == ["me", "login", "picture"])
        try self.folder.write("another", to: "shop-login/by-hand.png")
        #expect(throws: CassetteError.self) {
            try self.store.merge([self.location("shop-login")], into: self.location("accounts"), removing: false)
        }
    }

    @Test(arguments: [
        ("ignore: { query: [t] }", "ignore: { query: [u] }", "`match` or `ignore`"),
        ("tapedeck: 1\n", "tapedeck: 1\ndelay: 1s\n", "`delay`"),
        ("picture", "me", "there is a response set \"me\" already"),
    ])
    func `cassettes that exclude each other stay as they are`(old: String, new: String, message: String) throws {
        try self.folder.write(Self.shop.replacing(old, with: new), to: "shop.yaml")
        let error = #expect(throws: CassetteError.self) {
            let sets = try self.names("shop")
            return try self.store.transfer(
                sets,
                from: self.location("shop"),
                to: self.location("accounts"),
                removing: true
            )
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(try self.folder.text("accounts.yaml") == Self.accounts)
    }

    @Test func `a cassette that changed meanwhile is not written, and neither is the other`() throws {
        let rewrite = try self.store.transfer(
            ["picture"],
            from: self.location("shop"),
            to: self.location("accounts"),
            removing: true
        )
        try self.folder.write(Self.shop + "# mine\n", to: "shop.yaml")
        let error = #expect(throws: CassetteError.self) { try rewrite.write(with: self.store) }
        #expect(error?.description.contains("changed meanwhile") == true)
        #expect(try self.folder.text("accounts.yaml") == Self.accounts)
        #expect(try self.folder.text("shop.yaml") == Self.shop + "# mine\n")
        #expect(FileContents.names(in: self.folder.path).sorted() == ["accounts.yaml", "shop", "shop.yaml"])
    }

    @Test func `a file that cannot be written undoes those before it`() throws {
        let rewrite = try self.store.transfer(
            ["picture"],
            from: self.location("shop"),
            to: CassetteLocation(self.folder.path("sub/new"), folder: ""),
            removing: true
        )
        // A folder is in the place of the new cassette's body files.
        try self.folder.write("x", to: "sub/new/a-0123456789ab.png/x")
        #expect(throws: (any Error).self) { try rewrite.write(with: self.store) }
        #expect(try self.folder.text("shop.yaml") == Self.shop)
        #expect(!FileContents.exists(self.folder.path("sub/new.yaml")))
    }

    @Test func `a cassette that is being recorded is not edited`() throws {
        let lock = try self.store.lock(self.location("shop"))
        let error = #expect(throws: CassetteError.self) {
            try self.store.change(self.location("shop"), by: [.removeSets(["login"])])
        }
        #expect(error?.description.contains("a recording of it runs") == true)
        self.store.unlock(lock, of: self.location("shop"))
        try self.store.change(self.location("shop"), by: [.removeSets(["picture"])]).write(with: self.store)
        #expect(FileContents.names(in: self.folder.path("shop")) == ["by-hand.png"])
    }
}
