import Foundation
import Testing

/// `tapedeck pull`: copies cassettes of a deck to this machine.
@Suite(.ownThreads) struct PullTests {
    @Test func `all cassettes are copied with body files and times, and a second pull copies nothing`() throws {
        let deck = try SharedDeck(["users": SharedDeck.cassette("ada"), "team/photos": SharedDeck.withBody("photos")])
        try deck.there.write(Data([0, 1, 2, 255]), to: "cassettes/team/photos/photo.bin")
        try deck.date(deck.there, "cassettes/users.yaml", 1_700_000_000)
        let output = try deck.ran("pull")
        #expect(output == "pulled team/photos (new)\npulled users (new)\n")
        #expect(try deck.here.read("cassettes/users.yaml") == deck.there.read("cassettes/users.yaml"))
        let body = try Data(contentsOf: URL(fileURLWithPath: deck.here / "cassettes/team/photos/photo.bin"))
        #expect(body == Data([0, 1, 2, 255]))
        let attributes = try FileManager.default.attributesOfItem(atPath: deck.here / "cassettes/users.yaml")
        #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 1_700_000_000)
        #expect(try deck.hidden(deck.here) == [])

        let again = try deck.run("pull")
        #expect(again.exitCode == 0)
        #expect(again.outputText.isEmpty)
        #expect(again.errorText.contains("0 pulled, 2 the same, 0 left as they are"), "\(again.errorText)")
    }

    @Test func `a cassette that only the deck has changed is pulled, whatever the times`() throws {
        let deck = try SharedDeck()
        _ = try deck.ran("pull")
        try deck.there.write(SharedDeck.cassette("grace"), to: "cassettes/users.yaml")
        try deck.date(deck.there, "cassettes/users.yaml", 1_000_000_000)
        #expect(try deck.ran("pull") == "pulled users\n")
        #expect(try deck.here.read("cassettes/users.yaml").contains("grace"))
    }

    @Test func `a cassette that was changed here stays, the others are copied, and the exit code is 1`() throws {
        let deck = try SharedDeck()
        _ = try deck.ran("pull")
        try deck.here.write(SharedDeck.cassette("mine"), to: "cassettes/users.yaml")
        try deck.there.write(SharedDeck.cassette("theirs"), to: "cassettes/users.yaml")
        try deck.there.write(SharedDeck.cassette("other"), to: "cassettes/other.yaml")
        let result = try deck.run("pull")
        #expect(result.exitCode == 1)
        #expect(result.outputText == "pulled other (new)\n")
        #expect(
            result.errorText.contains(
                "not pulled: users: it has changed here and on the deck since both were the same"
            ),
            "\(result.errorText)"
        )
        #expect(try deck.here.read("cassettes/users.yaml").contains("mine"))

        #expect(try deck.ran("pull", "users", "--overwrite") == "pulled users\n")
        #expect(try deck.here.read("cassettes/users.yaml").contains("theirs"))
    }

    @Test func `without a known version, the newer one here stays`() throws {
        let deck = try SharedDeck()
        try deck.here.write(SharedDeck.cassette("mine"), to: "cassettes/users.yaml")
        try deck.date(deck.there, "cassettes/users.yaml", 1_700_000_000)
        let newer = try deck.run("pull")
        #expect(newer.exitCode == 1)
        #expect(newer.errorText.contains("the one here is newer"), "\(newer.errorText)")
        #expect(try deck.here.read("cassettes/users.yaml").contains("mine"))

        try deck.date(deck.here, "cassettes/users.yaml", 1_600_000_000)
        let preview = try deck.run("pull", "--dry-run")
        #expect(preview.outputText == "would pull users\n")
        #expect(try deck.here.read("cassettes/users.yaml").contains("mine"))
        #expect(try deck.ran("pull") == "pulled users\n")
    }

    @Test func `GNU tar reads the archive, and the same cassettes give the same bytes`() throws {
        let long = "a cassette with a long name " + String(repeating: "x", count: 120)
        let deck = try SharedDeck([
            "users": SharedDeck.cassette("ada"), long: SharedDeck.cassette("b"), "é": SharedDeck.withBody("é"),
        ])
        try deck.there.write(Data([7]), to: "cassettes/é/photo.bin")
        #expect(try deck.ran("pull", "--archive", "a.tar") == "pulled 3 cassettes into a.tar\n")
        let list = try deck.here.run(["tar", "--quoting-style=literal", "-tf", "a.tar"])
        #expect(list.outputText == "\(long).yaml\nusers.yaml\né.yaml\né/photo.bin\n", "\(list.errorText)")
        #expect(list.errorText.isEmpty)
        try FileManager.default.createDirectory(atPath: deck.here / "out", withIntermediateDirectories: true)
        let out = try deck.here.run(["tar", "-xf", "a.tar", "-C", "out"])
        #expect(out.exitCode == 0)
        #expect(try deck.here.read("out/\(long).yaml") == SharedDeck.cassette("b"))
        _ = try deck.ran("pull", "--archive", "b.tar")
        #expect(try deck.here.read("a.tar") == deck.here.read("b.tar"))
        let over = try deck.run("pull", "--archive", "a.tar")
        #expect(over.exitCode == 1)
        #expect(over.errorText.contains("--overwrite writes over it"), "\(over.errorText)")
    }

    @Test func `a cassette that the deck does not have is named`() throws {
        let deck = try SharedDeck()
        let result = try deck.run("pull", "nothing")
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("there is no cassette \"nothing\""), "\(result.errorText)")
        let outside = try deck.run("pull", "../users")
        #expect(outside.exitCode == 65)
        #expect(outside.errorText.contains("is no name of a cassette"), "\(outside.errorText)")
    }
}
