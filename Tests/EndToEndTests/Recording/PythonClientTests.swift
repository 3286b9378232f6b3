import Foundation
import TestShare
import Testing

/// Python programs that know nothing of Tapedeck: what they need is in the environment that `-- COMMAND` sets.
@Suite(.ownThreads) struct PythonClientTests {
    private static let requests = """
        import hashlib, sys
        try:
            import requests
        except ImportError:
            sys.exit("python3-requests is not installed; the README says how to get what the tests need")
        base = sys.argv[1]
        session = requests.Session()
        def show(answer):
            body = hashlib.sha256(answer.content).hexdigest()
            print(answer.status_code, answer.reason, list(answer.raw.headers.iteritems()), body, answer.encoding)
        for path in ["json", "gzip", "deflate", "chunked", "trailers", "204", "cookies", "latin1", "empty",
                     "status/404", "status/500", "redirect/3", "binary?size=2000000", "counter?key=r"]:
            show(session.get(f"{base}/{path}"))
        print(sorted(session.cookies.items()))
        show(session.head(f"{base}/head-me"))
        show(session.get(f"{base}/304", headers={"If-None-Match": '"version-1"'}))
        show(session.get(f"{base}/range", headers={"Range": "bytes=10-19"}))
        show(session.post(f"{base}/form", data={"a": "1", "b": "\\u00e9"}))
        show(session.post(f"{base}/echo", json={"a": [1, 2]}))
        show(session.post(f"{base}/echo", json={"a": [3]}))
        show(session.put(f"{base}/upload", data=(chunk for chunk in [b"first", b"second"])))
        for _ in range(2):
            print(session.get(f"{base}/counter?key=r").json())
        """

    private static let urllib = """
        import sys, urllib.error, urllib.request
        base = sys.argv[1]
        def show(request):
            try:
                answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error:
                answer = error
            print(answer.status, answer.reason, answer.getheaders(), answer.read())
        for path in ["json", "gzip", "chunked", "until-close", "cookies", "latin1", "redirect/2", "status/404"]:
            show(f"{base}/{path}")
        show(urllib.request.Request(f"{base}/head-me", method="HEAD"))
        show(urllib.request.Request(f"{base}/form", data=b"a=1&b=2"))
        """

    @Test(arguments: [Self.requests, Self.urllib], some(of: Origin.Scheme.allCases))
    func `a Python program prints the same live and replayed`(_ script: String, scheme: Origin.Scheme) throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        let origin = try Origin(in: folder)
        let program = try folder.write(script, to: "client.py")
        let command = ["--", "python3", program, origin.base(scheme)]

        let live = try folder.tapedeck(["record", "python", "--upstream-ca", origin.authorityPath] + command)
        #expect(live.exitCode == 0, "\(live.errorText)")
        #expect(live.outputText.contains("200 OK"))
        try origin.stop()

        let replayed = try folder.tapedeck(["replay", "python"] + command)
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        #expect(replayed.outputText == live.outputText)
        #expect(replayed.errorText.contains(" 0 unmatched, 0 connections opened upstream"))
    }
}
