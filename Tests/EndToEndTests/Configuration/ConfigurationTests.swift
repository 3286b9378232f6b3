import Foundation
import Testing

/// Options from flags, the environment and the project file, in that order of strength.
@Suite(.ownThreads) struct ConfigurationTests {
    @Test func `a flag is stronger than the environment, which is stronger than the file`() throws {
        let folder = try TestFolder()
        try folder.write("deck:\n  sessionTtl: 1m\n  delay: 1s\n  port: 5001\n", to: "tapedeck.yaml")
        let environment = ["TAPEDECK_SESSION_TTL": "2m", "TAPEDECK_DELAY": "2s"]
        let shown = try folder.configuration("replay", "--session-ttl", "3m", environment: environment)
        #expect(shown["session-ttl"]?.value == "3m")
        #expect(shown["session-ttl"]?.source == "flag")
        #expect(shown["delay"]?.value == "2s")
        #expect(shown["delay"]?.place == "TAPEDECK_DELAY")
        #expect(shown["port"]?.value == "5001")
        #expect(shown["port"]?.place == "tapedeck.yaml:4")
        #expect(shown["host"]?.source == "default")
    }

    @Test func `a deck uses the environment and the file`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "tapes/users.yaml")
        try folder.write("deck: { cassettes: tapes, noControl: true }\n", to: "tapedeck.yaml")
        let deck = try folder.serve("replay", "users", environment: ["TAPEDECK_REVERSE": "http://api.example.com"])
        #expect(deck.controlURL == nil)
        #expect(deck.program.errorsSoFar.contains("as a base URL, in place of http://api.example.com"))
        try deck.stop()
        // And so does what only reads cassettes.
        #expect(try folder.tapedeck("show", "users").exitCode == 0)
    }

    @Test func `an option in a stronger place overrides its opposite in a weaker one`() throws {
        let folder = try TestFolder()
        try folder.write(
            "deck: { noControl: true, port: 5000 }\nupstream: { proxy: 'http://a.example:1' }\n",
            to: "tapedeck.yaml"
        )
        let ports = try folder.configuration("serve", environment: ["TAPEDECK_CONTROL_PORT": "5000"])
        #expect(ports["no-control"]?.source == "default")
        #expect(ports["control-port"]?.value == "5000")
        #expect(ports["port"]?.source == "default")
        let proxies = try folder.configuration("serve", environment: ["TAPEDECK_NO_UPSTREAM_PROXY": "yes"])
        #expect(proxies["no-upstream-proxy"]?.value == "on")
        #expect(proxies["upstream-proxy"]?.source == "default")
        let projects = try folder.configuration("serve", "--no-project", environment: ["TAPEDECK_PROJECT": "no.yaml"])
        #expect(projects["port"]?.source == "default")
    }

    @Test func `two options of one place that exclude each other are an error with that place`() throws {
        let environment = ["TAPEDECK_PORT": "5000", "TAPEDECK_CONTROL_PORT": "5000"]
        let result = try TestFolder().tapedeck(["serve"], environment: environment)
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("--port and --control-port are two ports"))
    }

    @Test(arguments: [
        ("1", "on"), ("true", "on"), ("YES", "on"), ("on", "on"), ("0", "off"), ("No", "off"), ("", "off"),
    ])
    func `a flag in the environment overrides the file`(_ text: String, _ value: String) throws {
        let folder = try TestFolder()
        try folder.write("deck: { allowUnmatched: true }\nrecord: { loopback: true }\n", to: "tapedeck.yaml")
        let environment = ["TAPEDECK_ALLOW_UNMATCHED": text, "TAPEDECK_LOOPBACK": text]
        let shown = try folder.configuration("serve", environment: environment)
        #expect(shown["allow-unmatched"]?.value == value)
        #expect(shown["loopback"]?.value == value)
        #expect(shown["loopback"]?.place == "TAPEDECK_LOOPBACK")
    }

    @Test func `recording this machine by the file can be switched off for one run`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("record: { loopback: true }\n", to: "tapedeck.yaml")
        let curl = ["--", "curl", "-sS", origin.url("/json")]
        let off = try folder.run([Tapedeck.path, "record", "off"] + curl, environment: ["TAPEDECK_LOOPBACK": "0"])
        #expect(off.errorText.contains("1 request to this machine, which --loopback records"), "\(off.errorText)")
        #expect(!folder.exists("cassettes/off.yaml"))
        let on = try folder.run([Tapedeck.path, "record", "on"] + curl)
        #expect(on.exitCode == 0, "\(on.errorText)")
        #expect(folder.exists("cassettes/on.yaml"))
    }

    @Test func `repeated options have commas, lines or lists`() throws {
        let folder = try TestFolder()
        try folder.write("deck: { select: [a=x, 'b=y,z'] }\nrecord: { block: c.example }\n", to: "tapedeck.yaml")
        let environment = [
            "TAPEDECK_INSECURE_UPSTREAM": "a.example, b.example", "TAPEDECK_BLOCK": "/a{1,2}/\n\n b.example \n",
        ]
        let shown = try folder.configuration("serve", "x", environment: environment)
        #expect(shown["insecure-upstream"]?.values == ["a.example", "b.example"])
        #expect(shown["select"]?.values == ["a=x", "b=y,z"])
        // Hosts to leave alone add up with the project's.
        #expect(shown["block"]?.values == ["/a{1,2}/", "b.example", "c.example"])
    }

    @Test func `a command ignores options that it does not have, or that its requests cannot use`() throws {
        let folder = try TestFolder()
        try folder.write("deck: { seed: 1, allowPassthrough: true }\n", to: "tapedeck.yaml")
        let run = try folder.tapedeck(["passthrough", "--", "true"], environment: ["TAPEDECK_ONLY": "a b"])
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(try folder.configuration("serve")["seed"]?.source == "default")
        #expect(try folder.configuration("serve", "users")["seed"]?.value == "1")
    }

    @Test func `secrets are not shown`() throws {
        let folder = try TestFolder()
        let environment = [
            "TAPEDECK_TOKEN": "quite-secret", "TAPEDECK_UPSTREAM_PROXY": "http://me:pass-word@p.example:1",
        ]
        for arguments in [["config"], ["config", "--json"]] {
            let result = try folder.tapedeck(arguments, environment: environment)
            #expect(result.exitCode == 0)
            #expect(!result.outputText.contains("quite-secret"))
            #expect(!result.outputText.contains("pass-word"))
            #expect(result.outputText.contains("(set)"))
            #expect(result.outputText.contains("me:***@p.example"))
        }
    }

    @Test func `a command below a deck does not take over its ports and its token's file`() throws {
        let folder = try TestFolder()
        try folder.write("abc", to: "token")
        let environment = ["TAPEDECK_PORT": "0", "TAPEDECK_CONTROL_PORT": "0", "TAPEDECK_TOKEN_FILE": "token"]
        let result = try folder.tapedeck(["passthrough", "--", "env"], environment: environment)
        let names = result.outputText.split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(names.contains("TAPEDECK_URL"))
        #expect(!names.contains { environment.keys.contains(String($0)) })
        #expect(!result.outputText.contains("abc\n"), "the token itself")
    }
}
