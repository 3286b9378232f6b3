import Foundation
import Synchronization
import TapedeckTesting
import Testing

/// The lines of failures, and the files kept of a test that fails.
@Suite(.tapedeck(folder: "Fixtures"), .timeLimit(.minutes(20)))
struct PlaceTests {
    private struct Told: Sendable, Equatable {
        var message: String
        var line: Int
        var severity: Issue.Severity
    }

    private func issues(_ body: () async throws -> Void) async throws -> [Told] {
        let told = Mutex<[Told]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await body()
        } matching: { issue in
            let message = issue.comments.map(\.rawValue).joined(separator: "\n")
            let line = issue.sourceLocation?.line ?? 0
            told.withLock { $0.append(Told(message: message, line: line, severity: issue.severity)) }
            return true
        }
        return told.withLock { $0 }
    }

    /// As a test suite has helpers.
    private func expectPrice(_ deck: Tapedeck, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        deck.expect(.get("/price"), .exactly(1), sourceLocation: sourceLocation)
        try await deck.select("dear", for: "price", sourceLocation: sourceLocation)
        try await deck.waitFor(.get("/never"), timeout: .milliseconds(1), sourceLocation: sourceLocation)
    }

    @Test func `a helper hands on its caller's place`() async throws {
        let line = #line + 4
        let told = try await self.issues {
            try await withTapedeck("shop") { deck in
                do {
                    try await self.expectPrice(deck)
                } catch is TapedeckFailure {}
            }
        }
        #expect(told.map(\.line) == [line, line])
        #expect(told.first?.message.hasPrefix("waited for 1 request to match GET /never") == true)
        #expect(told.last?.message.hasPrefix("expected exactly 1 request to match GET /price") == true)
    }

    @Test(.cassette("shop"))
    func `an error of the deck has the place of the call`() async throws {
        let deck = try Tapedeck.current
        let here = #_sourceLocation
        let error = await #expect(throws: TapedeckError.self) {
            try await deck.select("x", for: "nowhere", sourceLocation: here)
        }
        #expect(error?.description.contains("PlaceTests.swift:\(here.line)") == true)
        let late = await #expect(throws: TapedeckError.self) {
            try await deck.hold(.get("/never")).next(timeout: .milliseconds(1), sourceLocation: here)
        }
        #expect(late?.kind == .timeout)
        #expect(late?.description.contains("PlaceTests.swift:\(here.line)") == true)
    }

    @Test func `issues are typed, with line and exchange`() async throws {
        // No framework knows of this task, so that the failure is thrown.
        let failure = await Task.detached { () -> TapedeckFailure? in
            do {
                try await withTapedeck { deck in
                    try await deck.unimplemented(.delete("/users"), "nobody is deleted")
                    deck.expect(.get("/price"), .exactly(2))
                    _ = try await Visit.get("http://shop.example/nothing", deck)
                }
                return nil
            } catch {
                return error as? TapedeckFailure
            }
        }.value
        let issues = try #require(failure?.issues)
        #expect(issues.map(\.kind) == [.expectation, .unmatched])
        #expect(issues.map(\.fileID).allSatisfy { $0.hasSuffix("PlaceTests.swift") })
        #expect(issues.last?.exchange?.path == "/nothing")
        #expect(issues.last?.exchange?.outcome == .unmatched)
        #expect(issues.first.map { $0.line > 60 } == true)
    }
}
