// The cost of the helper for a test: sessions, requests of a URLSession, closures, stubs. See Benchmarks/README.md.

import Foundation
import TapedeckTestingCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Failure: Error {}

let address = "http://api.example.com/greeting"
let cassette = Cassette {
    ResponseSet("greeting", .get("http://api.example.com/greeting")) {
        Variant("hello", .text("hello"))
    }
}

func ask(_ session: URLSession) async throws {
    guard let url = URL(string: address) else { throw Failure() }
    let (data, _) = try await session.data(from: url)
    guard data == Data("hello".utf8) else { throw Failure() }
}

/// Prints the duration of one of `count` runs.
@MainActor
func measure(_ name: String, _ count: Int = 1, _ work: @MainActor () async throws -> Void) async throws {
    let start = ContinuousClock.now
    try await work()
    let each = (ContinuousClock.now - start) / .milliseconds(1) / Double(count)
    print("\(name): \(String(format: "%.2f", each)) ms")
}

// The deck is started by the first session.
try await withTapedeck { _ in }
try await measure("a session", 300) {
    for _ in 0..<300 { try await withTapedeck { _ in } }
}
try await measure("a session with a cassette and a request", 300) {
    for _ in 0..<300 { try await withTapedeck(.inMemory(cassette)) { deck in try await ask(deck.urlSession()) } }
}
try await withTapedeck(.inMemory(cassette)) { deck in
    let session = deck.urlSession()
    try await measure("a request", 1_000) {
        for _ in 0..<1_000 { try await ask(session) }
    }
    try await deck.stub(.get("/greeting")) { _ in .text("hello") }
    try await measure("a request that a closure answers", 300) {
        for _ in 0..<300 { try await ask(session) }
    }
}
try await measure("500 sessions with a request, in parallel") {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<500 {
            group.addTask { try await withTapedeck(.inMemory(cassette)) { deck in try await ask(deck.urlSession()) } }
        }
        try await group.waitForAll()
    }
}
try await withTapedeck { deck in
    try await measure("500 stubs in a session") {
        for number in 0..<500 { try await deck.stub(.get("/\(number)"), .text("hello")) }
    }
    try await measure("a stub of 12 MB of zeros") {
        try await deck.stub(.get("/zeros"), .data(Data(count: 12_000_000)))
    }
}
