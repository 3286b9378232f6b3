import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite
struct HopByHopTests {
    /// Fields written as a header has them, one a line.
    private func fields(_ lines: [String]) -> [HeaderField] {
        lines.map { line in
            let name = line.prefix { $0 != ":" }
            return HeaderField(String(name), String(line.dropFirst(name.count + 1).trimmingSpaces()))
        }
    }

    private func request(
        _ lines: [String],
        host: String? = nil,
        narrows: Bool = false,
        upgrades: Bool = false
    ) -> [String] {
        HopByHop.request(self.fields(lines), host: host, narrowsCodings: narrows, upgrades: upgrades)
            .map { "\($0.name): \($0.value)" }
    }

    private func response(_ lines: [String], upgrades: Bool = false) -> [String] {
        HopByHop.response(self.fields(lines), upgrades: upgrades).map { "\($0.name): \($0.value)" }
    }

    @Test(
        arguments: [
            (["Host: a", "Accept: */*", "accept: x"], ["Host: a", "Accept: */*", "accept: x"]),
            (["Host: a", "Connection: keep-alive", "Keep-Alive: timeout=5", "X: y"], ["Host: a", "X: y"]),
            (["Host: a", "Proxy-Connection: Keep-Alive", "Proxy-Authorization: Basic eA=="], ["Host: a"]),
            (["Host: a", "PROXY-AUTHENTICATE: x", "Proxy-Authentication-Info: x", "X: y"], ["Host: a", "X: y"]),
            (
                ["Host: a", "Connection: X-One, x-two", "X-One: 1", "X-TWO: 2", "X-Three: 3"],
                ["Host: a", "X-Three: 3"]
            ),
            (["X-One: 1", "Host: a", "Connection: close", "connection: x-one"], ["Host: a"]),
            (["Host: a", "Proxy-Connection: X-One", "X-One: 1"], ["Host: a"]),
            (
                ["Host: a", "Connection: Host, Content-Length, Transfer-Encoding", "Content-Length: 5"],
                ["Host: a", "Content-Length: 5"]
            ),
            (
                ["Host: a", "Connection: transfer-encoding", "Transfer-Encoding: chunked"],
                ["Host: a", "Transfer-Encoding: chunked"]
            ),
            (["Host: a", "Upgrade: websocket", "Connection: Upgrade"], ["Host: a"]),
            (
                ["Host: a", "Trailer: X", "Via: 1.1 b", "Expect: 100-continue"],
                ["Host: a", "Trailer: X", "Via: 1.1 b", "Expect: 100-continue"]
            ),
        ] as [([String], [String])]
    )
    func onlyEndToEndFieldsReachTheOrigin(_ lines: [String], _ expected: [String]) {
        #expect(self.request(lines) == expected)
    }

    @Test func theHostIsRewrittenInPlace() {
        #expect(
            self.request(["A: b", "hOsT: proxy:4747", "C: d"], host: "a.test:8443") == [
                "A: b", "hOsT: a.test:8443", "C: d",
            ]
        )
        #expect(self.request(["A: b", "Host: a.test"]) == ["A: b", "Host: a.test"])
    }

    @Test func aMissingHostIsPutFirst() {
        #expect(self.request(["A: b"], host: "a.test") == ["Host: a.test", "A: b"])
        #expect(self.request(["A: b"]) == ["A: b"])
    }

    @Test(arguments: [
        ("gzip, deflate, br, zstd", "gzip, deflate, br, zstd"), ("br;q=1, dcb, gzip;q=0.8", "br;q=1, gzip;q=0.8"),
        ("dcb", "dcb"),
        ("br, zstd;q=0.5", "br, zstd;q=0.5"), ("identity", "identity"), ("identity, br", "identity, br"),
        ("identity;q=0.5, gzip, dcb", "identity;q=0.5, gzip"), ("X-GZIP,dcb", "X-GZIP"), ("*", "*"), ("", ""),
        ("gzip , dcb ,deflate", "gzip, deflate"),
    ])
    func aRecordingOffersOnlyDecodableCodingsIfThereAreAny(_ offered: String, _ sent: String) {
        #expect(self.request(["accept-Encoding: \(offered)"], narrows: true) == ["accept-Encoding: \(sent)"])
        #expect(self.request(["accept-Encoding: \(offered)"]) == ["accept-Encoding: \(offered)"])
    }

    /// RFC 9110 section 12.4.2: a quality of zero rejects a coding.
    @Test func aCodingThatIsRefusedIsNotOffered() {
        #expect(self.request(["Accept-Encoding: dcb, gzip;q=0"], narrows: true) == ["Accept-Encoding: dcb, gzip;q=0"])
    }

    /// RFC 9110 section 5.3: fields of one name mean the same as one field with all their members.
    @Test func offersInSeveralFieldsAreNarrowedTogether() {
        let sent = self.request(["Accept-Encoding: dcb", "Accept-Encoding: gzip"], narrows: true)
        #expect(sent.contains("Accept-Encoding: gzip"))
        #expect(!sent.contains("Accept-Encoding: dcb"))
    }

    @Test(arguments: ["trailers", "Trailers", "deflate;q=0.5, trailers", "trailers;q=0.5"])
    func teTrailersIsForwardedWithItsOwnConnectionField(_ value: String) {
        #expect(
            self.request(["Host: a", "TE: \(value)", "Connection: TE", "X: y"])
                == ["Host: a", "TE: trailers", "X: y", "Connection: TE"]
        )
    }

    @Test func otherTransferCodingsAreNotForwarded() {
        #expect(self.request(["Host: a", "TE: gzip", "Connection: TE"]) == ["Host: a"])
    }

    @Test func anUpgradeIsForwardedOnlyIfAllowed() {
        let lines = ["Host: a", "Connection: Upgrade, X-One", "Upgrade: websocket", "X-One: 1", "Sec-WebSocket-Key: k"]
        #expect(
            self.request(lines, upgrades: true)
                == ["Host: a", "Connection: Upgrade, X-One", "Upgrade: websocket", "Sec-WebSocket-Key: k"]
        )
        #expect(self.request(lines) == ["Host: a", "Sec-WebSocket-Key: k"])
    }

    @Test(
        arguments: [
            (["Date: x", "Connection: close", "Keep-Alive: timeout=5"], ["Date: x"]),
            (["Set-Cookie: a", "set-cookie: b"], ["Set-Cookie: a", "set-cookie: b"]),
            (["Connection: X-One, Content-Length", "X-One: 1", "Content-Length: 5"], ["Content-Length: 5"]),
            (["Transfer-Encoding: chunked", "Trailer: X"], ["Transfer-Encoding: chunked", "Trailer: X"]),
            (["Proxy-Authenticate: Basic", "Proxy-Connection: close", "Upgrade: h2c"], []),
            (
                ["WWW-Authenticate: Basic", "Content-Encoding: gzip"],
                ["WWW-Authenticate: Basic", "Content-Encoding: gzip"]
            ),
        ] as [([String], [String])]
    )
    func onlyEndToEndFieldsReachTheClient(_ lines: [String], _ expected: [String]) {
        #expect(self.response(lines) == expected)
    }

    @Test func theAnswerToAnUpgradeKeepsItsFields() {
        let lines = ["Connection: Upgrade", "Upgrade: websocket", "Keep-Alive: x", "Sec-WebSocket-Accept: k"]
        #expect(
            self.response(lines, upgrades: true)
                == ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Accept: k"]
        )
    }
}
