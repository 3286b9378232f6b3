import Foundation
import TestShare
import Testing

/// Digests of redacted bodies: a client that checks them finds them right.
@Suite(.ownThreads) struct DigestTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("digests.py").path
    private static let fields = [
        "Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "x-amz-checksum-crc32", "x-amz-checksum-sha1",
        "x-amz-checksum-sha256", "x-goog-hash", "ETag",
    ]

    private struct Port: Decodable {
        var port: Int
    }

    private struct Line: Decodable {
        var path: String
        var right: [String]
        var token: String
    }

    private static func ask(_ folder: TestFolder, _ mode: String..., url: String) throws -> [Line] {
        let client = ["sh", "-c", #"exec python3 "$0" client "$http_proxy" "$1""#, Self.script, url]
        let result = try folder.tapedeck(mode + ["--"] + client)
        #expect(result.exitCode == 0, "\(result.errorText)")
        return try result.outputText.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test(.long) func `Digests that were valid are valid in replay, with other values in the body`() throws {
        let folder = try TestFolder()
        let origin = try folder.start(["python3", Self.script, "origin"], input: nil)
        let port = try origin.waitForOutput("its port") { text in
            text.hasSuffix("\n") ? try? JSONDecoder().decode(Port.self, from: Data(text.utf8)).port : nil
        }
        let url = "http://127.0.0.1:\(port)"
        let live = try Self.ask(folder, "record", "digests", url: url)
        origin.closeInput()
        try origin.result()
        #expect(live.filter { $0.path != "/wrong" }.allSatisfy { $0.right == Self.fields })
        let played = try Self.ask(folder, "replay", "digests", url: url)
        #expect(played.map(\.path) == live.map(\.path))
        for (line, before) in zip(played, live) {
            #expect(line.token != before.token)
            #expect(line.right == (line.path == "/wrong" ? [] : Self.fields), "\(line.path)")
        }
        let tape = try folder.read("cassettes/digests.yaml")
        #expect(tape.contains("sha-256=:{{digest.sha-256}}:"))
        #expect(tape.contains("{{'secret.x}}"))
    }
}
