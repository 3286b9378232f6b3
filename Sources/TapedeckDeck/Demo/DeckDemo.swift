package import Logging
import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// The main job on a bundled example: record from a live HTTPS API, switch it off, play the same again.
package struct DeckDemo: Sendable {
    /// The result of the demo.
    package struct Result: Sendable {
        package var steps: [String]
        /// The text of the cassette on disk.
        package var cassette: String
        /// True if the replay gave equal answers, without any connection.
        package var isSame: Bool
    }

    private static let paths = ["/users/octocat", "/users/octocat/repos?sort=stars", "/users/nobody"]

    private let location: CassetteLocation
    private let log: Logger

    /// Its cassette goes into a temporary folder.
    package init(log: Logger) {
        let folder = ProcessEnvironment.temporaryFolder("tapedeck-demo")
        self.location = CassetteLocation("demo", folder: folder)
        self.log = log
    }

    package func run() async throws -> Result {
        defer { FileContents.removeFolder(self.location.folder) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let result = try await self.run(on: group)
            try await group.shutdownGracefully()
            return result
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private func run(on group: MultiThreadedEventLoopGroup) async throws -> Result {
        let originAuthority = try CertificateAuthority.ephemeral()
        let origin = try await DemoOrigin.start(authority: originAuthority, group: group)
        var steps = ["a live HTTPS API listens at \(origin.url)"]

        var recording = self.prepared(.record(into: self.location.path))
        // Its origin is a part of the demo.
        recording.record.recordsLoopback = true
        recording.upstreamCAPEM = [originAuthority.certificatePEM]
        let (recorded, recordReport) = try await self.ask(origin, recording, group: group)
        steps.append(
            "recorded \(recordReport.saved?.exchanges ?? 0) exchanges through the deck into \(self.location.path)"
        )
        try await origin.stop()
        steps.append("the API is switched off")

        let replay = self.prepared(.replay([self.location.path]))
        let (replayed, replayReport) = try await self.ask(origin, replay, group: group)
        let isSame = recorded == replayed && replayReport.connectionsOpened == 0
        steps.append(
            "replayed \(replayReport.session?.played ?? 0) requests: "
                + (recorded == replayed ? "the same answers" : "OTHER ANSWERS")
                + ", \(replayReport.connectionsOpened) connections opened upstream"
        )
        let text = String(decoding: try FileContents.read(self.location.path), as: UTF8.self)
        return Result(steps: steps, cassette: text, isSame: isSame)
    }

    private func prepared(_ configuration: DeckConfiguration) -> DeckConfiguration {
        var configuration = configuration
        configuration.authority = .ephemeral
        configuration.port = 0
        return configuration
    }

    /// Asks the origin for everything it has, through a deck of the given configuration.
    private func ask(
        _ origin: DemoOrigin,
        _ configuration: DeckConfiguration,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ([ProxyClient.Response], DeckReport) {
        let deck = try await Deck.start(configuration, log: self.log)
        do {
            var responses: [ProxyClient.Response] = []
            for path in Self.paths {
                responses.append(
                    try await ProxyClient.get(
                        path,
                        from: DemoOrigin.host,
                        port: origin.port,
                        throughProxyOn: deck.port,
                        trusting: deck.authority,
                        group: group
                    )
                )
            }
            return (responses, try await deck.stop())
        } catch {
            _ = try? await deck.stop()
            throw error
        }
    }
}
