import Foundation
import TestShare
import Testing

/// A mistake in the environment or in the file is reported with its place.
@Suite(.ownThreads) struct ConfigurationMistakeTests {
    @Test(
        arguments: some(of: [
            ("TAPEDECK_PORT", "abc", "TAPEDECK_PORT: the value 'abc' is invalid for '--port <port>'"),
            ("TAPEDECK_PORT", "70000", "TAPEDECK_PORT: --port takes a number from 0 to 65535"),
            ("TAPEDECK_SESSIONS", "some", "TAPEDECK_SESSIONS: the value 'some' is invalid"),
            ("TAPEDECK_NO_CONTROL", "maybe", "TAPEDECK_NO_CONTROL: \"maybe\" is neither on nor off"),
            ("TAPEDECK_CONNECT_TIMEOUT", "0", "TAPEDECK_CONNECT_TIMEOUT: timeouts are whole seconds"),
            ("TAPEDECK_ONLY", "a.example,b.example", "(several values stand one per line)"),
            (
                "TAPEDECK_SESSION_TTL", "1ms",
                "--session-ttl takes at least 1s (--session-ttl comes from TAPEDECK_SESSION_TTL)"
            ),
        ])
    )
    func `in the environment`(_ variable: String, _ value: String, _ message: String) throws {
        let arguments = variable == "TAPEDECK_PORT" ? ["serve"] : ["serve", "--port", "0"]
        let result = try TestFolder().tapedeck(arguments, environment: [variable: value])
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains(message), "\(result.errorText)")
    }

    @Test(
        arguments: some(of: [
            ("deck:\n  prot: 1\n", "tapedeck.yaml:2:3: error: `deck` has no key `prot`; did you mean `port`?"),
            ("deck:\n  port: abc\n", "tapedeck.yaml:2: deck.port: the value 'abc' is invalid for '--port <port>'"),
            ("deck:\n  port: [1, 2]\n", "tapedeck.yaml:2:3: error: `port` takes one value, not a list"),
            ("deck:\n  noControl: maybe\n", "tapedeck.yaml:2:3: error: `noControl` is true or false"),
            (
                "deck: { only: a.example }\n",
                "tapedeck.yaml:1:9: error: `deck` has no key `only`; write `only` under `record:`"
            ),
            (
                "deck: { streams: 1x }\n",
                "tapedeck.yaml:1:9: error: `deck` has no key `streams`; write `streams:` outside of it"
            ),
            ("deck: { token: abc }\n", "`token` cannot stand in the project file; set TAPEDECK_TOKEN"),
        ])
    )
    func `in the file`(_ text: String, _ message: String) throws {
        let folder = try TestFolder()
        try folder.write(text, to: "tapedeck.yaml")
        for command in ["serve", "config"] {
            let result = try folder.tapedeck([command])
            #expect(result.exitCode == 65)
            #expect(result.errorText.contains(message), "\(result.errorText)")
        }
    }

    @Test func `a mistake on the command line is reported as before`() throws {
        let result = try TestFolder().tapedeck(["serve", "--prot", "1"], environment: ["TAPEDECK_PORT": "0"])
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("Unknown option '--prot'. Did you mean '--port'?"))
        #expect(!result.errorText.contains("TAPEDECK_PORT"))
    }

    @Test func `help works in any environment`() throws {
        let result = try TestFolder().tapedeck(["serve", "--help"], environment: ["TAPEDECK_PORT": "abc"])
        #expect(result.exitCode == 0)
        #expect(result.outputText.contains("--port"))
    }

    @Test func `an unknown variable is a warning`() throws {
        let result = try TestFolder().tapedeck(
            ["config"],
            environment: ["TAPEDECK_PROT": "1", "TAPEDECK_SESSION": "a"]
        )
        #expect(result.exitCode == 0)
        #expect(
            result.errorText
                == "tapedeck: warning: TAPEDECK_PROT is no variable of Tapedeck's, and says nothing; did you mean TAPEDECK_PORT?\n"
        )
    }

    @Test func `variables of Kubernetes and Docker for a service named tapedeck are ignored`() throws {
        let environment = [
            "TAPEDECK_PORT": "tcp://10.0.0.1:4747", "TAPEDECK_CONTROL_PORT": "tcp://10.0.0.2:4748",
            "TAPEDECK_SERVICE_HOST": "10.0.0.1", "TAPEDECK_SERVICE_PORT": "4747", "TAPEDECK_SERVICE_PORT_PROXY": "4747",
            "TAPEDECK_PORT_4747_TCP": "tcp://10.0.0.1:4747", "TAPEDECK_PORT_4747_TCP_ADDR": "10.0.0.1",
            "TAPEDECK_PORT_4747_TCP_PORT": "4747", "TAPEDECK_PORT_4747_TCP_PROTO": "tcp",
            "TAPEDECK_NAME": "/app/tapedeck", "TAPEDECK_ENV_A": "b",
        ]
        let folder = try TestFolder()
        let result = try folder.tapedeck(["config"], environment: environment)
        #expect(result.exitCode == 0)
        #expect(result.errorText == "")
        #expect(try folder.configuration(environment: environment)["port"]?.source == "default")
    }
}
