import Foundation
import TestShare
import Testing

/// Scenarios: recordings that are saved as variants, by commands and in sessions that run.
@Suite(.ownThreads) struct ScenarioRecordingTests {
    @Test(.long) func `a scenario is recorded as default and two variants, and each is played by its profile`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let command = ["--", "curl", "-sS", origin.url("/json"), origin.url("/counter")]
        func run(_ arguments: [String]) throws -> Program.Result {
            let result = try folder.tapedeck(arguments + command)
            #expect(result.exitCode == 0, "\(result.errorText)")
            return result
        }
        let usual = try run(["record", "shop"]).output
        let busy = try run(["record", "shop", "--variant", "busy day"])
        #expect(busy.errorText.contains("no variant of 1 response set, as the default answers the same: GET "))
        let last = try run(["record", "shop", "--variant", "last one"]).output
        #expect(Set([usual, busy.output, last]).count == 3)
        try origin.stop()

        expectSame(try run(["replay", "shop"]).output, usual)
        expectSame(try run(["replay", "shop", "--profile", "busy day"]).output, busy.output)
        expectSame(try run(["replay", "shop", "--profile", "last one"]).output, last)
        let refused = try folder.tapedeck(["record", "shop", "--variant", "offline"] + command)
        #expect(refused.exitCode == 64)
        #expect(refused.errorText.contains("has a built-in variant \"offline\""), "\(refused.errorText)")
    }

    @Test(.long) func `a session that runs records a variant, and keeps answers that it gave`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--upstream-ca", origin.authorityPath)
        let control = try folder.control(deck)
        let (live, _) = try control.session(#"{"mode": "passthrough", "cassettes": []}"#)
        func ask(_ session: String, _ path: String) throws -> Data {
            let key = ["-H", "X-Tapedeck-Session: \(session)"]
            return try folder.run(Curl.through(deck) + key + [origin.url(path)]).output
        }
        func steer(_ arguments: String...) throws -> String {
            let result = try folder.tapedeck(
                arguments,
                environment: ["TAPEDECK_URL": deck.controlURL ?? "", "TAPEDECK_SESSION": live]
            )
            #expect(result.exitCode == 0, "\(result.errorText)")
            return result.outputText
        }
        _ = try steer("recording", "start", "shop", "--mode", "record")
        let usual = try ask(live, "/counter")
        _ = try steer("recording", "stop")
        _ = try steer("recording", "start", "shop", "--variant", "second")
        let second = try ask(live, "/counter")
        #expect(try control.get("GET", "/v1/sessions/\(live)/recording")["variant"] as? String == "second")
        #expect(try steer("recording", "stop").hasPrefix("wrote 1 exchange into shop"))
        let third = try ask(live, "/counter")
        let other = try ask(live, "/counter?key=other")
        #expect(try steer("recording", "keep", "3", "4", "--variant", "third").hasPrefix("wrote 2 exchanges into shop"))

        func play(_ profile: String?, _ path: String = "/counter") throws -> Data {
            let profiles = profile.map { #", "profiles": ["\#($0)"]"# } ?? ""
            return try ask(try control.session(#"{"cassettes": ["shop"]\#(profiles)}"#).0, path)
        }
        expectSame(try play(nil), usual)
        expectSame(try play("second"), second)
        expectSame(try play("third"), third)
        expectSame(try play("third", "/counter?key=other"), other)

        let cassette = try folder.read("cassettes/shop.yaml")
        let unknown = try control.ask(
            "POST",
            "/v1/sessions/\(live)/keep",
            #"{"variant": "x", "numbers": [99]}"#
        )
        #expect(unknown.status == 404, "\(unknown.text)")
        let append = try control.ask(
            "PUT",
            "/v1/sessions/\(live)/recording",
            #"{"cassette": "shop", "mode": "append", "variant": "x"}"#
        )
        #expect(append.status == 422, "\(append.text)")
        #expect(try folder.read("cassettes/shop.yaml") == cassette)
        try deck.stop()
    }
}
