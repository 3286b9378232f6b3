import Foundation
import TestShare
import Testing

/// Variants that ask the live server: the one way in which `replay` may, if the command line allows it.
@Suite(.ownThreads) struct PassthroughTests {
    private static func cassette(_ origin: Origin, _ scheme: Origin.Scheme) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: live
            request: { url: \(origin.url("/counter", scheme)) }
            variants:
              - name: live
                passthrough: true
              - name: once live
                sequence: [{ takes: [{ status: 200, body: { text: taped } }] }, live]
          - name: taped
            request: { url: \(origin.url("/json", scheme)) }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: from the tape } }] }]

        """
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `replay does not contact the live server without permission`(_ scheme: Origin.Scheme) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin, scheme), to: "cassettes/x.yaml")
        let result = try folder.tapedeck("replay", "x", "--", "curl", "-sSi", origin.url("/counter", scheme))
        #expect(result.exitCode == 70)
        let head = result.outputText.lowercased()
        #expect(head.contains(scheme == .https ? "http/2 501 \r\n" : "http/1.1 501 not implemented\r\n"))
        #expect(result.outputText.contains(#""reason": "passthroughNotAllowed""#), "\(result.outputText)")
        #expect(head.contains("x-tapedeck-reason: \"live\" matched, but its variant \"live\" asks the live"))
        #expect(result.errorText.contains("1 unmatched, 0 connections opened upstream"))
        #expect(result.errorText.contains("--allow-passthrough"), "\(result.errorText)")
        #expect(try origin.requests().isEmpty)
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `with permission, stubs play and the rest of the server is real`(
        _ scheme: Origin.Scheme
    ) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin, scheme), to: "cassettes/x.yaml")
        let before = try folder.read("cassettes/x.yaml")
        let urls = [origin.url("/counter", scheme), origin.url("/json", scheme), origin.url("/counter", scheme)]
        let options = ["--allow-passthrough", "--upstream-ca", origin.authorityPath]
        let result = try folder.tapedeck(["replay", "x"] + options + ["--", "curl", "-sS"] + urls)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == #"{"count":1}from the tape{"count":2}"#)
        #expect(try origin.requests().map(\.target) == ["/counter", "/counter"])
        #expect(result.errorText.contains("1 connection opened upstream"), "\(result.errorText)")
        #expect(try folder.read("cassettes/x.yaml") == before)
        // Only requests of this set: no others are forwarded.
        let other = try folder.tapedeck(
            ["replay", "x"] + options + ["--", "curl", "-sS", origin.url("/gzip", scheme)]
        )
        #expect(other.exitCode == 70)
        #expect(try origin.requests().count == 2)
    }

    @Test func `explain names the live server if permitted, and does not contact it`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin, .http), to: "cassettes/x.yaml")
        let url = origin.url("/counter")
        let refused = try folder.tapedeck("explain", "x", "GET", url)
        #expect(refused.exitCode == 70)
        #expect(
            refused.outputText == """
                nothing on tape answers GET \(url)
                  "live" matched, but its variant "live" asks the live server, which replay does not do without \
                --allow-passthrough

                """
        )
        let allowed = try folder.tapedeck("explain", "x", "GET", url, "--allow-passthrough")
        #expect(allowed.exitCode == 0)
        let start = "GET \(url) is answered by the live server, through \"live\" of x\n  variant   live\n"
        #expect(allowed.outputText.hasPrefix(start), "\(allowed.outputText)")
        #expect(try origin.requests().isEmpty)
    }

    @Test func `append counts passed-through requests separately from recorded ones`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin, .http), to: "cassettes/x.yaml")
        let urls = [origin.url("/counter"), origin.url("/json"), origin.url("/echo")]
        let result = try folder.tapedeck(["append", "x", "--", "curl", "-sS"] + urls)
        let summary = "append: 1 request played, 1 exchange recorded, 1 request passed through, "
        #expect(result.errorText.contains(summary), "\(result.errorText)")
    }

    @Test func `passthrough is a part of a sequence like any other`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin, .http), to: "cassettes/x.yaml")
        let url = origin.url("/counter")
        let options = ["--allow-passthrough", "--select", "live=once live"]
        let result = try folder.tapedeck(["replay", "x"] + options + ["--", "curl", "-sS", url, url])
        #expect(result.outputText == #"taped{"count":1}"#, "\(result.errorText)")
    }

    @Test func `one set of low priority passes everything that is not stubbed`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let rest = """
              - name: the rest
                priority: -1
                request: { urlPattern: '.*' }
                variants: [{ name: live, passthrough: true }]

            """
        try folder.write(Self.cassette(origin, .http) + rest, to: "cassettes/x.yaml")
        let urls = [origin.url("/json"), origin.url("/head-me"), origin.url("/echo")]
        let result = try folder.tapedeck(["replay", "x", "--allow-passthrough", "--", "curl", "-sS"] + urls)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasPrefix("from the tape") && result.outputText.hasSuffix("GET /echo\n\n"))
        #expect(try origin.requests().map(\.target) == ["/head-me", "/echo"])
    }
}
