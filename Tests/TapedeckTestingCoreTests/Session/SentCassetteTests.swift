import Foundation
import TapedeckDeck
import TapedeckTestingCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Cassettes of the test's disk on a deck that has another one.
struct SentCassetteTests {
    private static func cassette(_ set: String, file: String) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: \(set)
            request: { url: 'http://api.test/\(set)' }
            variants: [{ name: found, takes: [{ status: 200, body: { file: \(file) } }] }]

        """
    }

    @Test func `a cassette is sent with the body files that it names, in any folder beside it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // A byte order mark is a part of the body.
        let logo = Data([0xEF, 0xBB, 0xBF]) + Data("logo".utf8)
        let files = [
            "a.yaml": Data(Self.cassette("a", file: "shared/logo.txt").utf8),
            "b.yaml": Data(Self.cassette("b", file: "./shared/logo.txt").utf8),
            "c.yaml": Data(Self.cassette("c", file: "c/photo.bin").utf8),
            "shared/logo.txt": logo, "c/photo.bin": Data([0, 255]), "c/left over": Data(count: 65 << 20),
        ]
        for (name, data) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: file)
        }
        try await TestDeck.with { other in
            let url = try #require(other.deck.controlURL)
            try await withTapedeck(
                .cassette("a", "b", "c", folder: folder.path).deck(
                    .running(url: #require(URL(string: url)), token: nil)
                )
            ) { deck in
                let session = deck.urlSession()
                for (set, body) in [("a", logo), ("b", logo), ("c", Data([0, 255]))] {
                    let (data, _) = try await session.data(from: try #require(URL(string: "http://api.test/\(set)")))
                    #expect(data == body)
                }
            }
        }
    }
}
