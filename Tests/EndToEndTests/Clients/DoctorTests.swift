import Foundation
import Testing

/// `tapedeck doctor`: the list of programs, and the run of a command.
@Suite(.ownThreads) struct DoctorTests {
    @Test func `the list has the requested programs`() throws {
        let result = try TestFolder().tapedeck(["doctor", "python3"])
        #expect(result.exitCode == 0 && result.outputText.contains("Python urllib, requests, httpx  reached "))
        let unknown = try TestFolder().tapedeck(["doctor", "no-such-program"])
        #expect(unknown.exitCode == 64 && unknown.errorText.contains("no-such-program is none of the programs"))
    }

    @Test func `programs and a command exclude each other`() throws {
        let result = try TestFolder().tapedeck(["doctor", "curl", "--", "true"])
        #expect(result.exitCode == 64 && result.errorText.contains("give programs or a command behind --, not both"))
    }

    @Test func `a command that cannot be run is an error`() throws {
        let result = try TestFolder().tapedeck(["doctor", "--", "no-such-command"])
        #expect(result.exitCode == 69 && result.errorText.contains("cannot run no-such-command"))
    }

    @Test func `requests through the variables are reached`() throws {
        // A name that does not exist: the deck answers for an origin that it cannot reach.
        let script = "curl -sS -o /dev/null https://a.invalid/1; curl -sS -o /dev/null https://a.invalid/2"
        let result = try TestFolder().tapedeck(["doctor", "--", "sh", "-c", script])
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "https://a.invalid  2 requests  reached by the variables\n")
        #expect(result.errorText.contains("a bare -- reaches every request of the command"))
    }

    @Test(.enabled(if: Kernel.isolates, "the kernel lets nobody make user namespaces here"))
    func `requests past the proxy are found, and clients that do not trust the deck`() throws {
        let folder = try TestFolder()
        let script = """
            curl -sS -o /dev/null https://a.invalid/
            curl -sS -o /dev/null --noproxy '*' https://b.invalid/
            curl -sS -o /dev/null --capath /nowhere --cacert \(try Origin(in: folder).authorityPath) https://c.invalid/
            exit 3
            """
        let result = try folder.tapedeck(["doctor", "--", "sh", "-c", script])
        #expect(result.exitCode == 1, "\(result.errorText)")
        #expect(
            result.outputText == """
                https://a.invalid  1 request  reached by the variables
                https://b.invalid  1 request  past the proxy
                c.invalid                     the client does not trust the certificate authority

                """
        )
        #expect(result.errorText.contains("the command ended with exit code 3"))
        #expect(result.errorText.contains("past the proxy: --isolate always reaches these"))
        #expect(result.errorText.contains("not trusted: `tapedeck ca` says what to set"))
    }
}
