import Foundation
import TestShare
import Testing

/// A recording that is cut short loses no exchange whose response the client had.
@Suite(.ownThreads) struct CrashRecoveryTests {
    /// Asks for one thing after the other from several threads, and prints the URL of each exchange once its response
    /// is complete. Some bodies are small, some go to a file while they come.
    private static let clients = """
        import http.client, sys, threading, urllib.parse
        proxy, base = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2]
        lock = threading.Lock()
        def work(worker):
            connection = http.client.HTTPConnection(proxy.hostname, proxy.port)
            for number in range(100000):
                path = f"/binary?size={400000 + number}&n={worker}" if number % 10 == 9 else f"/echo?n={worker}-{number}"
                try:
                    connection.request("GET", base + path)
                    answer = connection.getresponse()
                    body = answer.read()
                except (OSError, http.client.HTTPException):
                    return
                assert answer.status == 200, answer.status
                with lock:
                    print(f"{base}{path}", len(body), flush=True)
        threads = [threading.Thread(target=work, args=[worker]) for worker in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """

    /// Asks a replay for each URL of its standard input, and prints what is not as it was.
    private static let verifier = """
        import http.client, sys, urllib.parse
        proxy = urllib.parse.urlsplit(sys.argv[1])
        connection = http.client.HTTPConnection(proxy.hostname, proxy.port)
        for line in sys.stdin:
            url, size = line.split()
            connection.request("GET", url)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200 or int(size) not in (-1, len(body)):
                print(url, answer.status, len(body), "not", size)
        """

    /// Returns the responses that clients have received completely.
    private static func record(
        _ folder: TestFolder,
        _ origin: Origin,
        until count: Int,
        end: (TapedeckProcess) throws -> Void
    ) throws -> [(url: String, size: Int)] {
        let recording = try folder.serve("record", "x")
        let program = try folder.write(Self.clients, to: "clients.py")
        let clients = try folder.start(["python3", program, recording.url, origin.base(.http)])
        try clients.waitForOutput("\(count) exchanges") { $0.utf8.count { $0 == 0x0A } >= count ? () : nil }
        try end(recording)
        let result = try clients.result()
        #expect(!result.errorText.contains("AssertionError"), "\(result.errorText)")
        return result.outputText.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? (String(words[0]), Int(words[1]) ?? -1) : nil
        }
    }

    /// Asks the replay for each of them.
    private static func expectAll(_ completed: [(url: String, size: Int)], in folder: TestFolder) throws {
        #expect(!folder.exists("cassettes/x.journal"))
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 0)
        #expect(check.outputText.contains("no problems"), "\(check.outputText)")
        let replay = try folder.serve("replay", "x")
        let program = try folder.write(Self.verifier, to: "verify.py")
        let list = completed.map { "\($0.url) \($0.size)\n" }.joined()
        let result = try folder.run(["python3", program, replay.url], input: Data(list.utf8))
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "")
        try replay.stop()
    }

    @Test(arguments: some(of: [1, 20, 100, 300].flatMap { count in ["replay", "append"].map { (count, $0) } }))
    func `kill -9 loses nothing that a client had`(_ count: Int, next: String) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let completed = try Self.record(folder, origin, until: count) { try $0.crash() }
        #expect(completed.count >= count)
        try origin.stop()
        #expect(folder.exists("cassettes/x.journal"))
        let start = try folder.tapedeck(next, "x", "--", "true")
        #expect(start.exitCode == 0, "\(start.errorText)")
        #expect(start.errorText.contains("took up an interrupted recording: "), "\(start.errorText)")
        try Self.expectAll(completed, in: folder)
    }

    @Test func `check reports a recording that waits for recovery`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Cassettes.users, to: "cassettes/x.yaml")
        _ = try Self.record(folder, origin, until: 3) { try $0.crash() }
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 0)
        #expect(check.outputText.contains("an interrupted recording waits to be taken up"), "\(check.outputText)")
        // The next recording recovers it, too: manual parts and the crashed recording are both there.
        let next = try folder.tapedeck("record", "x", "--", "true")
        #expect(next.errorText.contains("took up an interrupted recording: "))
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("url: http://api.example.com/users\n"))
        #expect(text.contains("url: \(origin.base(.http))/echo?n="))
    }

    @Test func `an interrupted recording keeps earlier answers`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/json?before")
        try folder.tapedeck("record", "x", "--", "curl", "-sS", url)
        _ = try Self.record(folder, origin, until: 10) { try $0.crash() }
        try origin.stop()
        let replayed = try folder.tapedeck("replay", "x", "--", "curl", "-sSf", url)
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `one signal saves and ends with 0`(_ signal: Int32) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let completed = try Self.record(folder, origin, until: 50) { recording in
            recording.program.send(signal)
            let result = try recording.program.result()
            #expect(result.exitCode == 0)
            #expect(result.errorText.contains("wrote cassettes/x.yaml"), "\(result.errorText)")
        }
        try origin.stop()
        try Self.expectAll(completed, in: folder)
    }

    /// Interrupts a deck while an exchange that never ends keeps the first signal from ending it, and then once more.
    private static func interruptTwice(_ deck: TapedeckProcess, _ origin: Origin) throws -> Program.Result {
        let hanging = try RawConnection(port: deck.port)
        hanging.send("GET \(origin.url("/slow-chunks?key=hang")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try hanging.read(through: "\r\n\r\n")
        let idle = try RawConnection(port: deck.port)
        idle.send("GET \(origin.url("/echo?idle")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try idle.response()
        deck.program.send(SIGINT)
        // Idle connections go when it begins to stop.
        #expect(try idle.readToEnd() == "")
        deck.program.send(SIGINT)
        let result = try deck.program.result()
        #expect(result.exitCode == 128 + SIGINT)
        return result
    }

    @Test func `a second signal ends at once and loses nothing`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x")
        let urls = (0..<20).map { origin.url("/echo?n=\($0)") }
        try folder.run(Curl.through(recording) + urls)
        let result = try Self.interruptTwice(recording, origin)
        #expect(result.errorText.contains("ended at once; the next start saves the recording"))
        let next = try folder.tapedeck("replay", "x", "--", "true")
        #expect(next.errorText.contains("took up an interrupted recording: "), "\(next.errorText)")
        try Self.expectAll(urls.map { ($0, -1) }, in: folder)
    }

    @Test func `a second signal mentions a recording only if there is one`() throws {
        let folder = try TestFolder()
        let result = try Self.interruptTwice(try folder.serve("passthrough"), try Origin(in: folder))
        #expect(result.errorText.hasSuffix("tapedeck: ended at once\n"), "\(result.errorText)")
    }

    @Test func `a running recording is not recovered by another start`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x")
        try folder.curl(recording, origin.url("/json"))
        try folder.tapedeck("record", "x", "--", "true")
        #expect(!folder.exists("cassettes/x.yaml"))
        #expect(try recording.stop().errorText.contains("1 exchange recorded"))
        #expect(try folder.read("cassettes/x.yaml").contains(origin.url("/json")))
    }
}
