import Foundation
import FoundationNetworking
import TapedeckControlAPI
import TapedeckTestingCore
import Testing

/// The table of the reference that says what a URLSession reports for each fault, by raising each.
///
/// `TAPEDECK_WRITE_GOLDENS=1 swift test --filter FaultTableTests` writes it anew.
@Suite(.timeLimit(.minutes(5)))
struct FaultTableTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../docs/cassette-reference.md"
    )

    @Test func `the reference says what a URLSession reports for each fault`() async throws {
        let reported = try await TestDeck.with { deck in
            try await withThrowingTaskGroup(of: (Tapedeck.Fault, String).self) { group in
                for fault in Tapedeck.Fault.allCases {
                    group.addTask { (fault, try await Self.report(of: fault, deck)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        var faults: [(report: String, names: [String])] = []
        for fault in Tapedeck.Fault.allCases {
            let report = try #require(reported[fault])
            if let index = faults.firstIndex(where: { $0.report == report }) {
                faults[index].names.append("`\(fault.rawValue)`")
            } else {
                faults.append((report, ["`\(fault.rawValue)`"]))
            }
        }
        let table = faults.map { "| \($0.names.joined(separator: ", ")) | \($0.report) |\n" }.joined()
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- faults: URLSession -->\n"))
        let end = try #require(text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex))
        let written = "| fault | reported as |\n|---|---|\n" + table
        if ProcessInfo.processInfo.environment["TAPEDECK_WRITE_GOLDENS"] != nil {
            let changed = text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: written)
            try changed.write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(text[begin.upperBound..<end.lowerBound] == written)
        }
    }

    private static func report(of fault: Tapedeck.Fault, _ deck: TestDeck) async throws -> String {
        let length = fault == .truncatedBody ? ", headers: [{ content-length: '9' }]" : ""
        let response = fault.hasResponse ? ", status: 200\(length), body: { text: whole }" : ""
        let session = try await deck.session(
            """
              - name: a
                request: { url: "https://api.example.com/a" }
                variants:
                  - { name: first, takes: [{ fault: \(fault.rawValue)\(response) }] }
            """
        )
        let base = URLSessionConfiguration.ephemeral
        base.timeoutIntervalForRequest = 2
        let client = URLSession(configuration: session.route.urlSessionConfiguration(base))
        do {
            let (data, _) = try await client.data(from: try #require(URL(string: "https://api.example.com/a")))
            #expect(String(decoding: data, as: UTF8.self) == "whole")
            return "the whole response"
        } catch let error as URLError {
            let hasAnswer = try await session.journal().first?.ending == "complete"
            return "`\(try Self.name(of: error.code))`"
                + (error.code == .timedOut && !hasAnswer ? " after the client's timeout; with `urlError`, at once" : "")
        }
    }

    private static func name(of code: URLError.Code) throws -> String {
        let codes: [(URLError.Code, String)] = [
            (.cannotConnectToHost, "cannotConnectToHost"), (.cannotFindHost, "cannotFindHost"),
            (.secureConnectionFailed, "secureConnectionFailed"), (.timedOut, "timedOut"),
            (.badServerResponse, "badServerResponse"), (.networkConnectionLost, "networkConnectionLost"),
        ]
        return try #require(codes.first { $0.0 == code }?.1, "\(code.rawValue) has no name here")
    }
}
