import Foundation
import Testing

/// The output of failing tests. Each test runs one that fails on purpose, in a child process.
@Suite(.serialized, .disabled(if: Shop.isFailing))
struct FailureReportTests {
    struct Failure: Sendable, CustomTestStringConvertible {
        var test: String
        /// The required parts of the output, in this order.
        var texts: [String]
        var environment: [String: String] = [:]

        var testDescription: String { self.test }
    }

    static let failures: [Failure] = [
        Failure(
            test: "unmatched",
            texts: [
                "nothing on tape answers GET http://shop.example/price?currency=USD",
                "near is \"price\" of shop", "EUR", "USD",
            ]
        ),
        Failure(
            test: "unmetExpectation",
            texts: [
                "expected exactly 2 requests to match GET http://shop.example/price", "and saw 1", "the requests were:",
            ]
        ),
        Failure(
            test: "wrongOrder",
            texts: ["expected GET http://shop.example/stock", "no request matches", "the requests were:"]
        ),
        Failure(test: "unknownVariant", texts: ["\"free\"", "cheap", "dear"]),
        Failure(
            test: "missingCassette",
            texts: ["there is no cassette /", "Fixtures/nowhere.yaml; "]
        ),
        Failure(test: "brokenCassette", texts: ["broken.yaml:3", "nmae"]),
        Failure(
            test: "wrongMode",
            texts: ["TAPEDECK_MODE is \"recrod\"; it must be one of replay, once, new, all"],
            environment: ["TAPEDECK_MODE": "recrod"]
        ),
        Failure(test: "recordingInCI", texts: ["nothing is recorded where CI is set"], environment: ["CI": "true"]),
        Failure(test: "unimplemented", texts: ["is unimplemented: prices are cached, and was requested by 1 request"]),
        Failure(test: "throwingStub", texts: ["the stub threw for GET http://shop.example/price", "of the stub"]),
        Failure(test: "unused", texts: ["no request used the response set \"price\""]),
        Failure(test: "waitInVain", texts: ["waited for 1 request to match", "no request came at all"]),
        Failure(test: "noUnmatched", texts: ["expected a request that nothing on tape answers, and there was none"]),
        Failure(test: "bareScope", texts: ["nothing on tape answers GET http://shop.example/price?currency=USD"]),
    ]

    @Test(arguments: Self.failures, ChildRun.Framework.allCases)
    func `a failure has its reason, at its line`(failure: Failure, framework: ChildRun.Framework) async throws {
        let run = try await ChildRun(framework, failure.test, environment: failure.environment)
        let place = try ChildRun.place(failure.test, framework)
        #expect(run.status != 0)
        var rest = run.output[...]
        for text in [place] + failure.texts {
            let range = rest.firstRange(of: text)
            #expect(range != nil, "\(text) is missing in:\n\(run.output)")
            if let range { rest = rest[range.upperBound...] }
        }
        #expect(!run.output.contains("the body ran"))
        #expect(!run.output.contains("the body went on"))
        // Reported once, without anything else.
        #expect(run.issues(framework) == 1, "\(run.output)")
    }

    @Test(arguments: ["suiteVariant", "valueVariant"])
    func `errors in options are reported at their line`(test: String) async throws {
        let run = try await ChildRun(.swiftTesting, test)
        #expect(run.status != 0)
        #expect(run.output.contains("at \(try ChildRun.place(test, .swiftTesting))"), "\(run.output)")
        #expect(run.issues(.swiftTesting) == 1)
    }

    @Test func `the mix-in fails at the line that started it`() async throws {
        let run = try await ChildRun(.xcTest, "mixIn")
        let place = try ChildRun.place("mixIn", .xcTest)
        #expect(run.status != 0)
        #expect(run.output.contains("\(place) error: HostingFailures.test_mixIn : nothing on tape answers GET"))
        #expect(run.issues(.xcTest) == 1)
    }

    @Test(arguments: ChildRun.Framework.allCases)
    func `the body's error comes first`(framework: ChildRun.Framework) async throws {
        let run = try await ChildRun(framework, "bodyError")
        let own = try #require(run.output.firstRange(of: "of the body"))
        let place = try #require(run.output.firstRange(of: try ChildRun.place("bodyError", framework)))
        #expect(own.upperBound < place.lowerBound)
        #expect(run.issues(framework) == 2, "\(run.output)")
    }

    @Test(arguments: ChildRun.Framework.allCases)
    func `in a detached task, which no framework knows, the failure is thrown`(
        framework: ChildRun.Framework
    ) async throws {
        let run = try await ChildRun(framework, "detached")
        #expect(run.status != 0)
        #expect(run.output.contains("nothing on tape answers GET http://shop.example/price?currency=USD"))
        let place = try ChildRun.place("detached", framework)
        #expect(run.output.contains(place), "\(run.output)")
    }

    @Test(arguments: ChildRun.Framework.allCases)
    func `a failing test shows its traffic`(framework: ChildRun.Framework) async throws {
        let run = try await ChildRun(framework, "ownFailure")
        #expect(run.status != 0)
        #expect(
            run.output.contains("1  GET http://shop.example/price?currency=EUR → 200 \"price\", cheap"),
            "\(run.output)"
        )
        #expect(run.output.contains("seed "))
        #expect(run.issues(framework) == 1)
    }

    @Test func `traffic goes to where attachments go, and not to the output`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tapedeck-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try await ChildRun(.swiftTesting, "ownFailure", arguments: ["--attachments-path", folder.path])
        let text = try String(contentsOf: folder.appendingPathComponent("tapedeck.txt"), encoding: .utf8)
        #expect(text.contains("SwiftTestingFailures/ownFailure()"))
        #expect(text.contains("1  GET http://shop.example/price?currency=EUR"))
        #expect(!run.output.contains("1  GET"))
    }

    @Test(arguments: ChildRun.Framework.allCases)
    func `no secret of a request or a response is in any text`(framework: ChildRun.Framework) async throws {
        let seed = UUID().uuidString
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tapedeck-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = framework == .swiftTesting ? ["--verbose", "--attachments-path", folder.path] : []
        let run = try await ChildRun(
            framework,
            "secrets",
            environment: [PlantedSecrets.variable: seed],
            arguments: arguments
        )
        var texts = run.output
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            texts += try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        for (name, secret) in PlantedSecrets(seed: seed).all where texts.contains(secret) {
            Issue.record("\(name) of seed \(seed) is in:\n\(texts)")
        }
        for text in [
            "/login?api_key={{secret.api_key}} → 200", "/unknown?token={{secret.", "Authorization: Bearer {{secret.",
            "\"password\": \"{{secret.password}}\"", "still held at the end", "the stub threw for GET",
            "nothing on tape answers POST http://shop.example/unknown",
        ] {
            #expect(texts.contains(text), "\(text) is missing in:\n\(texts)")
        }
    }

    @Test(arguments: ["outOfTime", "outOfTimeInABlock"])
    func `a test that runs out of time shows its traffic`(test: String) async throws {
        let run = try await ChildRun(.swiftTesting, test)
        #expect(run.output.contains("tapedeck.txt:"), "\(run.output)")
        #expect(run.output.contains("1  GET http://shop.example/price?currency=EUR → 200"), "\(run.output)")
    }

    @Test func `a test that cancels itself reports nothing else`() async throws {
        let run = try await ChildRun(.swiftTesting, "cancelled")
        #expect(run.status == 0)
        #expect(run.output.contains("no more to see"))
        #expect(run.issues(.swiftTesting) == 0, "\(run.output)")
        #expect(!run.output.contains("tapedeck.txt"))
    }

    @Test(arguments: ChildRun.Framework.allCases)
    func `a passing test shows nothing`(framework: ChildRun.Framework) async throws {
        let run = try await ChildRun(framework, "passing")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("passed"))
        #expect(!run.output.contains("shop.example"))
    }
}

extension ChildRun {
    /// Returns the number of failures that the framework reported.
    func issues(_ framework: Framework) -> Int {
        switch framework {
        case .swiftTesting: self.output.ranges(of: " recorded an issue").count
        case .xcTest: self.output.ranges(of: /: error: \w+\.test_/).count
        }
    }
}
