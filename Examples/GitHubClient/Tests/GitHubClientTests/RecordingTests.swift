import Foundation
import GitHubClient
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Recording, and recording anew. All tests of a package are recorded anew by running them with `TAPEDECK_MODE=all`;
/// here one test does both, with a server of this machine for the live API, and the deck of the test process, which can
/// write to its disk. Where `CI` is set nothing is recorded.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CI"] == nil))
struct RecordingTests {
    @Test func aRecordingPlaysWithoutTheServer() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cassette = CassetteReference.named(folder.appendingPathComponent("users").path)
        let api = try LocalAPI(name: "Recorded once")

        // The cassette is missing: it is recorded.
        try await withTapedeck(.cassette(cassette).mode(.once).deck(.inProcess)) { deck in
            let github = GitHub(session: deck.urlSession(), api: api.url)
            let user = try await github.user("octocat")
            #expect(user.name == "Recorded once")
        }
        api.name = "Changed since"

        // It is there: it plays.
        try await withTapedeck(.cassette(cassette).deck(.inProcess)) { deck in
            let github = GitHub(session: deck.urlSession(), api: api.url)
            let user = try await github.user("octocat")
            #expect(user.name == "Recorded once")
        }

        // Recording anew asks the server again.
        try await withTapedeck(.cassette(cassette).mode(.all).deck(.inProcess)) { deck in
            let github = GitHub(session: deck.urlSession(), api: api.url)
            let user = try await github.user("octocat")
            #expect(user.name == "Changed since")
        }
        api.stop()

        // And without the server.
        try await withTapedeck(.cassette(cassette).deck(.inProcess)) { deck in
            let github = GitHub(session: deck.urlSession(), api: api.url)
            let user = try await github.user("octocat")
            #expect(user.name == "Changed since")
        }
    }

    /// The API's present answer becomes a variant beside the recorded one, and a profile of its name plays it.
    @Test func aRecordingIsSavedAsAVariant() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cassette = CassetteReference.named(folder.appendingPathComponent("users").path)
        let api = try LocalAPI(name: "On a quiet day")
        defer { api.stop() }
        func name(_ mode: TapedeckMode, variant: String? = nil) async throws -> String? {
            try await withTapedeck(.cassette(cassette).mode(mode).recording(as: variant).deck(.inProcess)) { deck in
                try await GitHub(session: deck.urlSession(), api: api.url).user("octocat").name
            }
        }

        _ = try await name(.all)
        api.name = "On a busy day"
        _ = try await name(.all, variant: "busy day")

        #expect(try await name(.replay) == "On a quiet day")
        #expect(try await name(.replay, variant: "busy day") == "On a busy day")
    }
}
