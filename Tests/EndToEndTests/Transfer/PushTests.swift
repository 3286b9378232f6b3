import Foundation
import TestShare
import Testing

/// `tapedeck push`: copies cassettes of this machine to a deck.
@Suite(.ownThreads) struct PushTests {
    @Test func `a pushed cassette plays at once, and unused body files are removed`() throws {
        let cassettes = ["users": SharedDeck.cassette("ada"), "photos": SharedDeck.withBody("photos")]
        let deck = try SharedDeck(cassettes, "serve", "users")
        try deck.there.write("old", to: "cassettes/photos/photo.bin")
        _ = try deck.ran("pull")
        try deck.here.write(SharedDeck.cassette("grace"), to: "cassettes/users.yaml")
        try deck.here.write(SharedDeck.cassette("no photo"), to: "cassettes/photos.yaml")
        #expect(try deck.ran("push") == "pushed photos\npushed users\n")
        #expect(try deck.there.run(Curl.through(deck.process) + [SharedDeck.url]).outputText == "grace")
        #expect(!deck.there.exists("cassettes/photos/photo.bin"))
        #expect(try deck.hidden(deck.there) == [])
    }

    @Test func `a cassette that the deck has changed is not overwritten, and the others are pushed`() throws {
        let deck = try SharedDeck()
        _ = try deck.ran("pull")
        try deck.there.write(SharedDeck.cassette("recorded"), to: "cassettes/users.yaml")
        try deck.here.write(SharedDeck.cassette("new"), to: "cassettes/other.yaml")
        let result = try deck.run("push")
        #expect(result.exitCode == 1)
        #expect(result.outputText == "pushed other (new)\n")
        #expect(result.errorText.contains("not pushed: users: it has changed on the deck"), "\(result.errorText)")
        #expect(try deck.there.read("cassettes/users.yaml").contains("recorded"))
        #expect(try deck.ran("push", "--overwrite", "users") == "pushed users\n")
        #expect(try deck.there.read("cassettes/users.yaml").contains("ada"))
    }

    @Test func `a secret is reported with its place, and not sent without permission`() throws {
        let deck = try SharedDeck()
        let secret = SharedDeck.cassette("ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a")
        try deck.here.write(secret, to: "cassettes/leak.yaml")
        let refused = try deck.run("push")
        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("cassettes/leak.yaml:14:"), "\(refused.errorText)")
        #expect(!refused.errorText.contains("16C7e42F"))
        #expect(!deck.there.exists("cassettes/leak.yaml"))
        #expect(try deck.ran("push", "--allow-secrets") == "pushed leak (new)\n")
        #expect(deck.there.exists("cassettes/leak.yaml"))
    }

    @Test func `a cassette that cannot be played is not sent, and the others are`() throws {
        let deck = try SharedDeck()
        try deck.here.write("tapedeck: 1\nresponseSets: [{ nam: x }]\n", to: "cassettes/broken.yaml")
        try deck.here.write(SharedDeck.cassette("b"), to: "cassettes/sound.yaml")
        let result = try deck.run("push")
        #expect(result.exitCode == 1)
        #expect(result.outputText == "pushed sound (new)\n")
        #expect(result.errorText.contains("cassettes/broken.yaml:2:"), "\(result.errorText)")
        let missing = try deck.run("push", "nothing")
        #expect(missing.exitCode == 65)
        #expect(missing.errorText.contains("there is no cassette nothing in cassettes"), "\(missing.errorText)")
    }

    @Test func `an archive that GNU tar made is pushed`() throws {
        let deck = try SharedDeck()
        try deck.here.write(SharedDeck.withBody("photos"), to: "mine/photos.yaml")
        try deck.here.write("bytes", to: "mine/photos/photo.bin")
        for format in ["gnu", "posix", "ustar", "v7"] {
            _ = try deck.here.run(["tar", "--format=\(format)", "-C", "mine", "-cf", "\(format).tar", "."])
            #expect(try deck.ran("push", "--archive", "\(format).tar") == "pushed photos (new)\n")
            #expect(try deck.there.read("cassettes/photos/photo.bin") == "bytes")
            try FileManager.default.removeItem(atPath: deck.there / "cassettes/photos.yaml")
        }
        try deck.here.write("x", to: "mine/stray.txt")
        _ = try deck.here.run(["tar", "-C", "mine", "-czf", "packed.tar", "photos.yaml"])
        let packed = try deck.run("push", "--archive", "packed.tar")
        #expect(packed.exitCode == 65)
        #expect(packed.errorText.contains("unpack it first"), "\(packed.errorText)")
        _ = try deck.here.run(["tar", "-C", "mine", "-cf", "stray.tar", "."])
        let stray = try deck.run("push", "--archive", "stray.tar")
        #expect(stray.exitCode == 65)
        #expect(stray.errorText.contains("stray.txt: no part of a cassette"), "\(stray.errorText)")
    }

    @Test func `of two concurrent pushes one is refused, and no work is lost`() throws {
        let deck = try SharedDeck()
        let others = try (0..<4).map { _ in try TestFolder() }
        for (number, folder) in others.enumerated() {
            #expect(try deck.run(in: folder, ["pull"]).exitCode == 0)
            try folder.write(SharedDeck.cassette("from \(number)"), to: "cassettes/users.yaml")
        }
        let programs = try others.map {
            try $0.start([Tapedeck.path, "push"], environment: ["TAPEDECK_URL": deck.process.controlURL ?? ""])
        }
        let results = try programs.map { try $0.result() }
        #expect(results.map(\.exitCode).sorted() == [0, 1, 1, 1], "\(results.map(\.errorText))")
        let winner = try #require(results.firstIndex { $0.exitCode == 0 })
        #expect(try deck.there.read("cassettes/users.yaml") == SharedDeck.cassette("from \(winner)"))
        #expect(try deck.hidden(deck.there) == [])
    }

    @Test func `a cassette that is being recorded is left alone`() throws {
        let deck = try SharedDeck()
        let control = try deck.there.control(deck.process)
        try control.get("POST", "/v1/sessions", #"{"mode": "append", "cassettes": ["users"]}"#)
        try deck.here.write(SharedDeck.cassette("pushed"), to: "cassettes/users.yaml")
        let result = try deck.run("push", "--overwrite")
        #expect(result.exitCode == 1)
        #expect(result.errorText.contains("it is being recorded right now"), "\(result.errorText)")
        #expect(try deck.there.read("cassettes/users.yaml").contains("ada"))
    }

    @Test func `many cassettes go both ways`() throws {
        let deck = try SharedDeck([:])
        let count = rounds(1_000)
        for number in 0..<count {
            try deck.here.write(SharedDeck.cassette("n\(number)"), to: "cassettes/group \(number % 10)/c\(number).yaml")
        }
        let pushed = try deck.run("push")
        #expect(pushed.exitCode == 0)
        #expect(pushed.errorText.contains("\(count) pushed, 0 the same"), "\(pushed.errorText.suffix(500))")
        let other = try TestFolder()
        let pulled = try deck.run(in: other, ["pull"])
        #expect(pulled.errorText.contains("\(count) pulled, 0 the same"), "\(pulled.errorText.suffix(500))")
        #expect(try other.read("cassettes/group 7/c197.yaml") == SharedDeck.cassette("n197"))
        #expect(try deck.run(in: other, ["push"]).errorText.contains("0 pushed, \(count) the same"))
    }

    @Test(.long) func `a body of 50 MB goes both ways without the deck's memory growing by it`() throws {
        let deck = try SharedDeck([:])
        try deck.here.write(SharedDeck.withBody("large"), to: "cassettes/large.yaml")
        try deck.here.write(Data(repeating: 0x80, count: 50 << 20), to: "cassettes/large/photo.bin")
        let before = try deck.process.peakMemory()
        let pushed = try deck.run("push", "--allow-secrets")
        #expect(pushed.exitCode == 0, "\(pushed.errorText)")
        let other = try TestFolder()
        let pulled = try deck.run(in: other, ["pull"])
        #expect(pulled.exitCode == 0, "\(pulled.errorText)")
        let size = try FileManager.default.attributesOfItem(atPath: other / "cassettes/large/photo.bin")[.size] as? Int
        #expect(size == 50 << 20)
        let grown = try deck.process.peakMemory() - before
        #expect(grown < 25 << 10, "\(grown) KiB")
    }
}
