import Foundation
import TestShare
import Testing

/// Promise 1: in `replay` nothing dials out.
@Suite(.ownThreads) struct OfflineTests {
    /// True if this machine lets the tests create a network namespace.
    private static let canUnshare: Bool = {
        let result = try? TestFolder().run(Self.isolation + ["true"])
        return result?.exitCode == 0
    }()

    /// Runs a command without a network, except loopback, which is down at first.
    private static let isolation = ["unshare", "--map-root-user", "--net", "python3", "-c", Self.bringLoopbackUp]
    private static let bringLoopbackUp = """
        import fcntl, os, socket, struct, sys
        request = struct.pack("16sH14s", b"lo", 0x1 | 0x40, b"")  # IFF_UP, IFF_RUNNING
        fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, request)  # SIOCSIFFLAGS
        os.execvp(sys.argv[1], sys.argv[1:])
        """

    @Test(.enabled(if: Self.canUnshare, "unshare --net is not permitted here, so there is no network to be without"))
    func `a replay works without a network`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let urls = [origin.url("/json", .https), origin.url("/binary?size=500000", .http), origin.url("/json", .http)]
        let command = ["--", "curl", "-q", "-sSi", "--suppress-connect-headers"] + urls
        let live = try folder.tapedeck(["record", "x", "--upstream-ca", origin.authorityPath] + command)
        #expect(live.exitCode == 0, "\(live.errorText)")
        // The origin still runs, but is unreachable: a route to it would be used.
        let isolated = try folder.run(
            Self.isolation + ["curl", "-q", "-sS", "--noproxy", "*", origin.url("/json", .http)]
        )
        #expect(isolated.exitCode == 7)

        let replayed = try folder.run(Self.isolation + [Tapedeck.path, "replay", "x"] + command)
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        expectSame(replayed.output, live.output)
        #expect(replayed.errorText.contains("3 requests played, 0 unmatched, 0 connections opened upstream"))

        let unmatched = try folder.run(
            Self.isolation + [Tapedeck.path, "replay", "x", "--", "curl", "-sS", "https://example.com/"]
        )
        #expect(unmatched.exitCode == 70, "\(unmatched.errorText)")
        #expect(unmatched.errorText.contains("0 requests played, 1 unmatched, 0 connections opened upstream"))
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `an unmatched request opens no connection to a reachable origin`(scheme: Origin.Scheme) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users")
        let answer = try folder.curl(replay, "-i", origin.url("/json", scheme))
        #expect(answer.outputText.hasPrefix("HTTP/1.1 501 "))
        #expect(try replay.stop().errorText.contains("1 unmatched, 0 connections opened upstream"))
        // The origin counts connections, also those over which nothing comes.
        let direct = try folder.run(Curl.direct(origin) + [origin.url("/json", scheme)])
        #expect(direct.exitCode == 0, "\(direct.errorText)")
        #expect(try origin.requests().map(\.connection) == [1])
    }
}
