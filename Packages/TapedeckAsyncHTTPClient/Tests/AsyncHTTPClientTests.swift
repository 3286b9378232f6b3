import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import Testing

/// AsyncHTTPClient through the built program: recorded live, then replayed with the origin gone.
///
/// The program is the one that `TAPEDECK` names, else the debug build of the repository.
@Suite(.serialized)
struct AsyncHTTPClientTests {
    @Test(arguments: ["http", "https"])
    func replayGivesWhatTheClientSawLive(scheme: String) async throws {
        let folder = try Folder()
        let origin = try Origin(folder)
        let paths = ["/json", "/gzip", "/chunked", "/cookies", "/204", "/status/404", "/counter?key=\(scheme)"]
        let urls = paths.map { "\(scheme)://localhost:\(scheme == "http" ? origin.http : origin.https)\($0)" }

        // Cookies are to come back byte for byte.
        let project = folder.path + "/tapedeck.yaml"
        try Data("redact: off\n".utf8).write(to: URL(fileURLWithPath: project))

        let recording = try Deck(
            folder,
            ["record", "tape", "--loopback", "--project", project, "--upstream-ca", folder.originCertificate]
        )
        let live = try await ask(urls + urls.suffix(1), through: recording)
        #expect(try recording.stop().contains("\(urls.count + 1) exchanges recorded"))
        origin.stop()

        let replay = try Deck(folder, ["replay", "tape", "--project", project])
        let played = try await ask(urls + urls.suffix(1), through: replay)
        let summary = try replay.stop()
        #expect(played == live)
        #expect(live.map(\.status) == [200, 200, 200, 200, 204, 404, 200, 200])
        #expect(live[6].body != live[7].body)
        #expect(summary.contains("0 unmatched, 0 connections opened upstream"))
    }

    private struct Answer: Equatable {
        var status: Int
        var headers: [String]
        var body: Data
    }

    private func ask(_ urls: [String], through deck: Deck) async throws -> [Answer] {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(deck.certificate))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.proxy = .server(host: "127.0.0.1", port: deck.port)
        configuration.decompression = .enabled(limit: .none)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            var answers: [Answer] = []
            for url in urls {
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(20))
                let body = try await response.body.collect(upTo: 1 << 20)
                answers.append(
                    Answer(
                        status: Int(response.status.code),
                        headers: response.headers.map { "\($0.name): \($0.value)" },
                        body: Data(body.readableBytesView)
                    )
                )
            }
            try await client.shutdown()
            return answers
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
