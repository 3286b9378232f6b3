// The cost of a test's deck: starting it inside the process, creating a session for a cassette in memory, and the first
// answer through the proxy; then the same for further sessions. See Benchmarks/README.md.

import TapedeckControlAPI
import TapedeckControlClient
import TapedeckEmbedded
import TapedeckTestingCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// Requests one URL up to the last byte of the answer; blocks.
func ask(port: UInt16, key: String) throws {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard status == 0 else { throw Failure(description: "cannot connect to the deck") }
    let request = Array(
        "GET http://api.test/greeting HTTP/1.1\r\nHost: api.test\r\nX-Tapedeck-Session: \(key)\r\nConnection: close\r\n\r\n"
            .utf8
    )
    guard send(descriptor, request, request.count, 0) == request.count else {
        throw Failure(description: "cannot send")
    }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { break }
        answer += piece[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard text.hasPrefix("HTTP/1.1 200"), text.hasSuffix("hello") else {
        throw Failure(description: "another answer than the tape's:\n\(text)")
    }
}

/// The duration of each step of a test, in milliseconds.
struct Steps {
    var session = 0.0
    var answer = 0.0
    var end = 0.0
}

func timed<Result>(_ milliseconds: inout Double, _ work: () throws -> Result) rethrows -> Result {
    let start = ContinuousClock.now
    defer { milliseconds = (ContinuousClock.now - start) / .milliseconds(1) }
    return try work()
}

func test(_ client: ControlClient, port: UInt16) throws -> Steps {
    var steps = Steps()
    var request = SessionRequest()
    request.files = [
        "api.yaml": .text(
            """
            tapedeck: 1
            responseSets:
              - name: greeting
                request: { method: GET, url: 'http://api.test/greeting' }
                variants:
                  - name: found
                    takes: [{ status: 200, body: { text: hello } }]
                  - name: offline
                    fault: connectionReset

            """
        )
    ]
    let session = try timed(&steps.session) { [request] in try client.createSession(request) }
    try timed(&steps.answer) { try ask(port: port, key: "\(session.id):\(session.token ?? "")") }
    _ = try timed(&steps.end) { try client.session(session.id).end() }
    return steps
}

func line(_ name: String, _ milliseconds: Double) {
    let hundredths = Int((milliseconds * 100).rounded())
    let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    print(String(repeating: " ", count: max(0, 8 - text.count)) + text + " ms  " + name)
}

/// Off the threads of tasks, which the deck needs for itself: it blocks.
func run(_ started: DeckStarter.Started, deck milliseconds: Double) throws {
    let client = try ControlClient(url: started.controlURL, token: started.token)
    var asking = 0.0
    let deck = try timed(&asking) { try client.deck() }
    guard let port = deck.proxyURL.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        throw Failure(description: "the deck has no port: \(deck.proxyURL)")
    }
    let first = try test(client, port: port)
    line("the deck starts", milliseconds)
    line("GET /v1/deck, the first request to the control API", asking)
    line("the first session is made", first.session)
    line("the first request through the proxy is answered", first.answer)
    line("in all, up to the first answer", milliseconds + asking + first.session + first.answer)
    var further: [Steps] = []
    for _ in 0..<100 { further.append(try test(client, port: port)) }
    func median(_ part: (Steps) -> Double) -> Double { further.map(part).sorted()[further.count / 2] }
    line("a further session is made (median of 100)", median(\.session))
    line("its first request is answered", median(\.answer))
    line("it ends, with its report", median(\.end))
}

guard let starter = DeckStarter.registered else { throw Failure(description: "no deck is linked") }
let clock = ContinuousClock.now
let started = try await starter.start()
let milliseconds = (ContinuousClock.now - clock) / .milliseconds(1)
try run(started, deck: milliseconds)
