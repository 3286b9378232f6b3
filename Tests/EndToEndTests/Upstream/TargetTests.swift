import Foundation
import TestShare
import Testing

/// The permitted targets of a deck, with the programs as users run them.
@Suite(.ownThreads) struct TargetTests {
    private let folder: TestFolder
    private let origin: Origin

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder)
    }

    private func deck(_ arguments: String..., environment: [String: String] = [:]) throws -> TapedeckProcess {
        try TapedeckProcess(
            self.folder,
            arguments + ["--upstream-ca", self.origin.authorityPath],
            environment: environment
        )
    }

    @Test func `a recording with public targets only refuses this machine, and says so`() throws {
        let deck = try self.deck("record", "x", "--targets", "public")
        let plain = try self.folder.curl(deck, "-i", "-d", "some text", self.origin.url("/json"))
        #expect(plain.outputText.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(plain.outputText)")
        let place = "localhost:\(self.origin.port(.http))"
        let reason = "\(place) is not asked: it is 127.0.0.1, a loopback address"
        #expect(plain.outputText.contains("X-Tapedeck-Reason: \(reason)\r\n"), "\(plain.outputText)")
        #expect(plain.outputText.contains("--allow-private 127.0.0.1"))
        let secure = try self.folder.curl(deck, self.origin.url("/json", .https))
        #expect(secure.outputText.contains(#""error": "targetRefused""#), "\(secure.outputText)")
        let summary = try deck.stop().errorText
        #expect(summary.contains("0 exchanges recorded, 2 refused, 0 connections opened upstream"), "\(summary)")
        #expect(summary.contains("1 request to \(place) refused: it is 127.0.0.1, a loopback address"), "\(summary)")
        #expect(!self.folder.exists("cassettes/x.yaml"))
        #expect(try self.origin.requests().isEmpty)
    }

    @Test func `only public targets are the default on an address that others can reach`() throws {
        let token = "a-token-that-nobody-guesses"
        for (options, status) in [
            ([], "403"), (["--targets", "any"], "200"), (["--allow-private", "localhost"], "200"),
            (["--allow-private", "127.0.0.0/8"], "200"), (["--allow-private", "10.0.0.0/8"], "403"),
        ] {
            let deck = try TapedeckProcess(
                self.folder,
                ["passthrough", "--host", "0.0.0.0"] + options,
                environment: ["TAPEDECK_TOKEN": token]
            )
            let answer = try self.folder.curl(
                deck,
                "--proxy-user",
                "default:\(token)",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                self.origin.url("/json")
            )
            #expect(answer.outputText == status, "\(options) \(answer.errorText)")
            try deck.stop()
        }
    }

    @Test func `a redirect to a private target is refused`() throws {
        let deck = try self.deck("record", "x", "--targets", "public", "--allow-private", "localhost")
        let port = self.origin.port(.https)
        // The origin redirects to the requested target.
        let result = try self.folder.curl(
            deck,
            "-L",
            "-w",
            " %{num_redirects} %{http_code} %{url_effective}",
            "-H",
            "Host: 127.0.0.1:\(port)",
            self.origin.url("/redirect/1?absolute", .https)
        )
        #expect(result.outputText.contains("it is a loopback address"), "\(result.outputText)")
        #expect(result.outputText.hasSuffix(" 1 403 https://127.0.0.1:\(port)/json"), "\(result.outputText)")
        let summary = try deck.stop().errorText
        #expect(summary.contains("1 exchange recorded, 1 refused"), "\(summary)")
        #expect(try self.origin.requests().count == 1)
    }

    @Test func `an origin named on the command line is contacted wherever it is`() throws {
        let port = self.origin.port(.http)
        let reverse = try self.deck("passthrough", "--targets", "public", "--reverse", self.origin.base(.http))
        let base = try self.folder.run(["curl", "-q", "-sS", "--noproxy", "*", reverse.url + "/json"])
        #expect(base.outputText.hasPrefix("{"), "\(base.outputText)")
        try reverse.stop()
        let resolved = try self.deck(
            "passthrough",
            "--targets",
            "public",
            "--resolve",
            "api.example.test:\(port):127.0.0.1"
        )
        let answer = try self.folder.curl(resolved, "http://api.example.test:\(port)/json")
        #expect(answer.outputText.hasPrefix("{"), "\(answer.outputText)")
        let other = try self.folder.curl(resolved, "http://127.0.0.1:\(port)/json")
        #expect(other.outputText.contains("targetRefused"))
        try resolved.stop()
    }

    @Test func `the project file has the same effect, and options override it`() throws {
        try self.folder.write(
            "upstream:\n  targets: public\n  allowPrivate: [localhost]\n  hosts: localhost\n",
            to: "tapedeck.yaml"
        )
        let byFile = try self.deck("passthrough")
        #expect(try self.folder.curl(byFile, self.origin.url("/json")).outputText.hasPrefix("{"))
        let unlisted = try self.folder.curl(byFile, "http://127.0.0.1:\(self.origin.port(.http))/json").outputText
        #expect(unlisted.contains("--allow-hosts 127.0.0.1"), "\(unlisted)")
        try byFile.stop()
        let byOption = try self.deck("passthrough", "--allow-private", "10.0.0.0/8")
        #expect(try self.folder.curl(byOption, self.origin.url("/json")).outputText.contains("targetRefused"))
        try byOption.stop()
    }

    @Test func `a session created over the control API has the same target rules`() throws {
        let deck = try self.deck("serve", "--targets", "public")
        let control = try self.folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "passthrough"}"#)
        let answer = try self.folder.curl(deck, "-H", "X-Tapedeck-Session: \(id)", self.origin.url("/json"))
        #expect(answer.outputText.contains("targetRefused"), "\(answer.outputText)")
        let report = try control.ask("GET", "/v1/sessions/\(id)/report").text
        #expect(report.contains("refused: it is 127.0.0.1, a loopback address"), "\(report)")
        try deck.stop()
        #expect(try self.origin.requests().isEmpty)
    }

    @Test(
        .long,
        arguments: [
            (["--allow-hosts", "http://a"], "--allow-hosts: `http://a` is no host"),
            (["--allow-private", "10.0.0.0/33"], "--allow-private: `10.0.0.0/33` is no host"),
            (["--targets", "private"], "private"),
        ]
    )
    func `invalid values are reported before anything starts`(_ options: [String], _ words: String) throws {
        let result = try self.folder.tapedeck(["passthrough"] + options + ["--", "true"])
        #expect(result.exitCode != 0)
        #expect(result.errorText.contains(words), "\(result.errorText)")
    }
}
