import Dispatch
import Foundation
import Testing

/// A test run in a child process: this program, with the tests that fail on purpose.
struct ChildRun {
    enum Framework: String, CaseIterable, CustomTestStringConvertible {
        case swiftTesting = "Swift Testing"
        case xcTest = "XCTest"

        var testDescription: String { self.rawValue }
    }

    /// Its output, including errors.
    let output: String
    let status: Int32

    /// - Parameters:
    ///   - test: its name in `SwiftTestingFailures`, or in one of the classes for XCTest.
    ///   - environment: on top of this process's, without what would have the child use another deck or mode.
    init(
        _ framework: Framework,
        _ test: String,
        environment: [String: String] = [:],
        arguments: [String] = []
    ) async throws {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        )
        switch framework {
        case .swiftTesting:
            process.arguments =
                ["--testing-library", "swift-testing", "--filter", "SwiftTestingFailures/.*\\b\(test)\\("] + arguments
        case .xcTest:
            let isBare = ["mixIn", "bareScope", "detached"].contains(test)
            let suite = isBare ? "HostingFailures" : "XCTestFailures"
            process.arguments = ["FailureTests.\(suite)/test_\(test)"] + arguments
        }
        var variables = ProcessInfo.processInfo.environment
        for name in ["CI", "TAPEDECK_MODE", "TAPEDECK_URL", "TAPEDECK_TOKEN", "TAPEDECK_PROXY"] {
            variables[name] = nil
        }
        variables["TAPEDECK_FAILING"] = "1"
        process.environment = variables.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let output = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<String, any Error>) in
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
                return
            }
            // The end of the output is the end of the process, as it has no children.
            DispatchQueue.global().async {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
        self.output = output
        self.status = process.terminationStatus
    }

    /// Returns the place at which a test says `HERE` and its name, as frameworks write it.
    static func place(_ test: String, _ framework: Framework) throws -> String {
        let file = framework == .swiftTesting ? "SwiftTestingFailures.swift" : "XCTestFailures.swift"
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { line in
            line.firstRange(of: "// HERE ").map { line[$0.upperBound...].split(separator: " ").contains(test[...]) }
                ?? false
        }
        guard let line else { throw Shop.Trouble(text: "no line of \(file) says HERE \(test)") }
        return "\(file):\(line + 1):"
    }
}
