import TapedeckCassettes
import TapedeckCore
import TestShare
import Testing

/// Edits of a cassette's text change only what they should.
@Suite struct EditedTextTests {
    private static let cassette = """
        # The shop, as the app sees it.
        tapedeck: 1
        responseSets:
          # Where customers log in.
          - name: login
            request: { method: POST, url: https://api.example.com/login }   # by body
            variants:
              - name: recorded
                takes:
                  - status: 200
                    recorded: 2026-11-21T10:00:00Z, answered in 12 ms
                    headers:
                      - content-type: application/json   # always
                    body:
                      json: |
                        {
                          "ok": true
                        }
                      layout: compact
              # By hand.
              - name: locked
                takes: [{ status: 423 }]

              - name: unsteady
                sequence:
                  - locked
                  - { variant: recorded, times: 2 }
                after: { variant: locked }

          # Of all.

          - name: cart
            selected: full   # most have something
            request:
              url: https://api.example.com/cart
            variants:
              - name: empty
                takes:
                  - status: 200
                  - status: 201
              - name: full
                takes:
                  - status: 200
          - name: me
            request:
              url: https://me.example.com/me
            variants:
              - name: recorded
                empty: 204
        profiles:
          bad day:   # everything
            login: locked
            cart: full
          all: { "*": locked, me: recorded }
          gone: { me: recorded }

        """

    private static func edited(_ edits: [CassetteEdit], _ text: String = Self.cassette) throws -> String {
        let result = CassetteReader.read(Array(text.utf8), name: "shop", path: "shop.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        var editing = EditedText(result)
        for edit in edits { try editing.make(edit) }
        return String(decoding: editing.source, as: UTF8.self)
    }

    /// Lines that go, with `-`, and lines that come, with `+`.
    private static func difference(_ edits: CassetteEdit...) throws -> [String] {
        let old = Self.cassette.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let new = try Self.edited(edits).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return new.difference(from: old).inferringMoves().map { change in
            switch change {
            case .remove(_, let line, _): "-" + line.trimmingPrefix { $0 == " " }
            case .insert(_, let line, _): "+" + line.trimmingPrefix { $0 == " " }
            }
        }.sorted()
    }

    @Test func `renaming a set renames it in profiles`() throws {
        #expect(
            try Self.difference(.renameSet("login", to: "log in"))
                == ["+- name: log in", "+log in: locked", "-- name: login", "-login: locked"]
        )
    }

    @Test func `renaming a variant renames all references to it`() throws {
        #expect(
            try Self.difference(.renameVariant("locked", of: "login", to: "refused"))
                == [
                    #"+all: { "*": refused, me: recorded }"#, "+- name: refused", "+- refused",
                    "+after: { variant: refused }",
                    #"-all: { "*": locked, me: recorded }"#, "-- locked", "-- name: locked",
                    "-after: { variant: locked }",
                    "-login: locked", "+login: refused",
                ].sorted()
        )
        #expect(
            try Self.difference(.renameVariant("full", of: "cart", to: "two")) == [
                "+- name: two", "+cart: two", "+selected: two   # most have something",
                "-- name: full", "-cart: full", "-selected: full   # most have something",
            ]
        )
    }

    @Test func `a profile's choice for all sets still plays a variant renamed in one of them`() throws {
        let edited = try Self.edited([
            .copyVariant("locked", of: "login", as: "closed"), .copySet("login", as: "other login"),
            .renameVariant("locked", of: "login", to: "refused"),
        ])
        #expect(edited.contains("all: { '*': locked, me: recorded, login: refused }"), "\(edited)")
    }

    @Test func `a removed set is removed with its references`() throws {
        #expect(
            try Self.difference(.removeVariant("full", of: "cart")) == [
                "-- name: full", "-- status: 200", "-cart: full", "-selected: full   # most have something", "-takes:",
            ]
        )
        let withoutMe = try Self.edited([.removeSets(["me"])])
        #expect(
            withoutMe.hasSuffix("  all: { \"*\": locked }\n  gone: {}\n")
                || withoutMe.hasSuffix("  all: { '*': locked }\n  gone: {}\n")
        )
        let withoutBoth = try Self.edited([.removeSets(["login", "cart"])])
        #expect(withoutBoth.contains("  bad day: {}   # everything\n"), "\(withoutBoth)")
        #expect(try Self.difference(.removeTake(2, of: "cart", variant: "empty")) == ["-- status: 201"])
    }

    @Test func `a variant that another variant plays cannot be removed`() throws {
        let error = #expect(throws: CassetteEdit.Invalid.self) {
            try Self.edited([.removeVariant("locked", of: "login")])
        }
        #expect(error?.description.contains("the variant \"unsteady\" of \"login\" plays \"locked\"") == true)
    }

    @Test func `a set moves with its comment, and text between sets stays`() throws {
        let moved = try Self.edited([.moveSet("login", to: .last)])
        #expect(moved.contains("responseSets:\n  - name: cart\n"))
        #expect(moved.contains("  # Of all.\n\n  - name: me\n"))
        #expect(moved.contains("        empty: 204\n  # Where customers log in.\n  - name: login\n"))
        #expect(try Self.edited([.moveSet("login", to: .last), .moveSet("login", to: .first)]) == Self.cassette)
        #expect(
            try Self.edited([.moveSet("me", to: .before("cart"))]) == Self.edited([.moveSet("me", to: .after("login"))])
        )
    }

    @Test func `what varies is noted in front of the variants`() throws {
        let took = VaryingPlace("$.took", [VaryingPiece(.number)])
        let prompt = VaryingPlace("$.prompt", [VaryingPiece(.word, before: "by ", after: " on")])
        #expect(
            try Self.difference(.addVarying(["login": [took, prompt]]))
                == ["+$.prompt: by <word> on", "+$.took: number", "+varies:"]
        )
        // Another run adds to it.
        let twice = try Self.edited([.addVarying(["login": [took], "cart": [took]]), .addVarying(["login": [prompt]])])
        #expect(
            twice.contains("varies:\n      $.took: number\n      $.prompt: by <word> on\n    variants:"),
            "\(twice)"
        )
        #expect(twice.ranges(of: "varies:").count == 2)
    }

    @Test func `the default is the first variant or is named`() throws {
        #expect(try Self.difference(.makeDefault("empty", of: "cart")) == ["-selected: full   # most have something"])
        #expect(try Self.difference(.makeDefault("unsteady", of: "login")) == ["+selected: unsteady"])
        #expect(
            try Self.edited([.makeDefault("unsteady", of: "login"), .makeDefault("recorded", of: "login")])
                == Self.cassette
        )
    }

    @Test func `only the keys of a take that change are written`() throws {
        let result = CassetteReader.read(Array(Self.cassette.utf8), name: "shop", path: "shop.yaml")
        var take = result.cassette.responseSets[0].variants[0].takes[0]
        take.status = 201
        #expect(
            try Self.difference(.changeTake(1, of: "login", variant: "recorded", to: take))
                == ["+- status: 201", "-- status: 200"]
        )
        take.status = 200
        take.trailers = [HeaderField("x-sum", "1")]
        #expect(
            try Self.difference(.changeTake(1, of: "login", variant: "recorded", to: take))
                == ["+- x-sum: '1'", "+trailers:"]
        )
        #expect(
            try Self.difference(.changeTake(1, of: "cart", variant: "full", to: Take(status: 404))) == [
                "+- status: 404", "-- status: 200",
            ]
        )
    }

    @Test func `what stands on one line is changed there, and text around it stays`() throws {
        #expect(
            try Self.difference(.changeTake(1, of: "login", variant: "locked", to: Take(status: 409))) == [
                "+takes: [{ status: 409 }]", "-takes: [{ status: 423 }]",
            ]
        )
        let text = """
            tapedeck: 1
            responseSets:
              # one
              - { name: a, request: { url: https://a.test/ }, variants: [{ name: x, empty: true }, { name: y, empty: 205 }] } # a
              - { name: b, request: { url: https://b.test/ }, variants: [{ name: x, empty: true }] } # b

            """
        let edited = try Self.edited([.removeVariant("x", of: "a"), .renameSet("b", to: "c")], text)
        #expect(edited.contains("  # one\n  - name: a\n    request:\n"))
        #expect(
            edited.hasSuffix(
                "  - { name: c, request: { url: https://b.test/ }, variants: [{ name: x, empty: true }] } # b\n"
            )
        )
    }

    @Test(arguments: [
        (CassetteEdit.renameSet("logn", to: "x"), "did you mean \"login\"?"),
        (.renameSet("login", to: "cart"), "there is a response set \"cart\" already"),
        (.renameSet("login", to: ""), "1 to 1000 characters"),
        (.renameSet("login", to: "*"), "stands for several response sets"),
        (.renameSet("login", to: "https://api.example.com"), "stands for several response sets"),
        (.renameVariant("locked", of: "login", to: "unsteady"), "has a variant \"unsteady\" already"),
        (.renameVariant("locked", of: "login", to: "offline"), "built-in variant"),
        (.renameVariant("lockd", of: "login", to: "x"), "has no variant \"lockd\""),
        (.removeVariant("recorded", of: "me"), "only variant"),
        (.removeTake(1, of: "cart", variant: "full"), "only take"),
        (.removeTake(3, of: "cart", variant: "empty"), "has 2 takes, and no take 3"),
        (.removeTake(1, of: "login", variant: "unsteady"), "plays no takes of its own"),
        (.moveSet("login", to: .before("login")), "before or after itself"),
        (.copySet("login", as: "me"), "there is a response set \"me\" already"),
    ])
    func `a mismatched name is reported`(edit: CassetteEdit, message: String) throws {
        let error = #expect(throws: CassetteEdit.Invalid.self) { try Self.edited([edit]) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: seeds(1))
    func `edits that undo each other leave every byte of a thousand sets`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var text = "tapedeck: 1   # format\nresponseSets:\n"
        for number in 0..<1_000 {
            if Bool.random(using: &random) { text += "  # set \(number)\n" }
            text += "  - name: \(Bool.random(using: &random) ? "set \(number)" : "\"set \(number)\"")   # name\n"
            text += "    request: { url: \"https://h\(number % 7).example.com/\(number)\" }\n    variants:\n"
            for variant in 0..<Int.random(in: 2...3, using: &random) {
                text += "      - name: v\(variant) # variant\n        takes:\n          - status: 20\(variant)\n"
                text += "          - { status: 200, body: { text: 'x: #y' } }   # second\n"
            }
            if Int.random(in: 0..<4, using: &random) == 0 { text += "\n" }
        }
        text += "profiles:\n  some:\n"
        for number in stride(from: 0, to: 1_000, by: 10) { text += "    set \(number): v1   # choice\n" }
        let sets = (0..<rounds(2)).map { _ in "set \(Int.random(in: 1..<999, using: &random))" }
        for set in sets {
            let undone: [[CassetteEdit]] = [
                [.renameSet(set, to: "new"), .renameSet("new", to: set)],
                [.renameVariant("v1", of: set, to: "new"), .renameVariant("new", of: set, to: "v1")],
                [.copySet(set, as: "new"), .removeSets(["new"])],
                [.copyVariant("v0", of: set, as: "new"), .removeVariant("new", of: set)],
                [.makeDefault("v1", of: set), .makeDefault("v0", of: set)],
                [.moveSet(set, to: .first), .moveSet("set 0", to: .first), .moveSet(set, to: .first)],
            ]
            for edits in some(of: Array(undone.dropLast())) {
                // A name in quotes comes back without them; anything else is a mistake.
                let edited = try Self.edited(edits, text).replacing("\"\(set)\"", with: set)
                #expect(edited == text.replacing("\"\(set)\"", with: set), "\(edits)")
            }
            let moved = try Self.edited([undone[5][0]], text)
            #expect(moved.utf8.count == text.utf8.count)
            #expect(moved.split(separator: "\n").sorted() == text.split(separator: "\n").sorted())
        }
    }
}
