import TapedeckCassettes
import TapedeckCore

/// The results of `tapedeck matrix`, for people and programs.
package struct MatrixReport: Encodable, Sendable {
    /// The result of a run.
    package enum Result: String, Encodable, Sendable {
        case passed
        case failed
        /// The command ran longer than the limit.
        case timedOut
        /// The command passed, but never requested the response set whose variant was selected.
        case notRequested
        /// The matrix was interrupted before the run ended.
        case notRun
    }

    /// One run.
    package struct Run: Encodable, Sendable {
        /// The response set whose variant was selected; `nil` for a profile.
        package var set: String?
        /// The variant or the profile.
        package var name: String
        package var result: Result
        /// `nil` for a run that did not end by itself.
        package var exitCode: Int?
        /// The time that it took, in seconds.
        package var seconds: Double
        /// The first lines that the command wrote.
        package var output: [String]

        package init(
            _ matrixCase: MatrixPlan.Case,
            _ result: Result,
            exitCode: Int?,
            seconds: Double,
            output: [String]
        ) {
            self.set = matrixCase.set
            self.name = matrixCase.name
            self.result = result
            self.exitCode = exitCode
            self.seconds = seconds
            self.output = output
        }

        var title: String { self.set.map { "\($0) = \(self.name)" } ?? "profile \(self.name)" }
    }

    package var cassette: String
    /// In the order of the cassette.
    package var runs: [Run]

    package init(cassette: String, runs: [Run]) {
        self.cassette = cassette
        self.runs = runs
    }

    /// True if the command failed, or ran too long, under at least one case.
    package var hasFailures: Bool { self.runs.contains { $0.result == .failed || $0.result == .timedOut } }

    /// True if all runs have finished.
    package var isComplete: Bool { !self.runs.contains { $0.result == .notRun } }

    /// The results in a line.
    package var summary: String {
        let failed = self.runs.filter { $0.result == .failed || $0.result == .timedOut }.count
        let missed = self.runs.filter { $0.result == .notRequested }.count
        let left = self.runs.filter { $0.result == .notRun }.count
        let parts = [
            "the command failed under \(failed) of \(self.runs.count) \(self.runs.count == 1 ? "case" : "cases")",
            missed > 0 ? "\(missed) never requested the response set" : nil,
            left > 0 ? "\(left) not run" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    // MARK: Forms

    private static func words(_ run: Run) -> String {
        switch run.result {
        case .passed: "passed"
        case .failed: "failed, exit code \(run.exitCode.map(String.init) ?? "?")"
        case .timedOut: "timed out after \(Int(run.seconds)) s"
        case .notRequested: "passed, but never requested the set"
        case .notRun: "not run"
        }
    }

    /// The rows of a table, the head first.
    package var rows: [[String]] {
        [["RESPONSE SET", "VARIANT", "RESULT"]]
            + self.runs.map { [$0.set ?? "(profile)", $0.name, Self.words($0)] }
    }

    /// The failed runs with what the command wrote, for a terminal.
    package var details: String {
        self.runs.filter { $0.result == .failed || $0.result == .timedOut }.map { run in
            (["\(run.title): \(Self.words(run))"] + run.output.map { "    \($0)" }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// A table in Markdown.
    package var markdown: String {
        let lines = self.runs.map { run in
            Markdown.row([run.set ?? "(profile)", run.name, Self.words(run), run.output.first ?? ""])
        }
        return (["| Response set | Variant | Result | Output |", "|---|---|---|---|"] + lines).joined(separator: "\n")
    }

    /// The results in the XML of JUnit, a test case for each run.
    package var jUnit: String {
        let failures = self.runs.filter { $0.result == .failed || $0.result == .timedOut }.count
        let skipped = self.runs.filter { $0.result == .notRequested || $0.result == .notRun }.count
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuite name="tapedeck matrix \#(Self.xml(self.cassette))" tests="\#(self.runs.count)" "#
                + #"failures="\#(failures)" skipped="\#(skipped)">"#,
        ]
        for run in self.runs {
            let start =
                #"  <testcase classname="\#(Self.xml(run.set ?? "profiles"))" name="\#(Self.xml(run.name))" "#
                + #"time="\#(run.seconds)">"#
            switch run.result {
            case .passed: lines.append(start + "</testcase>")
            case .notRequested, .notRun:
                lines.append(start + #"<skipped message="\#(Self.xml(Self.words(run)))"/></testcase>"#)
            case .failed, .timedOut:
                let output = Self.xml(run.output.joined(separator: "\n"))
                lines.append(
                    start + #"<failure message="\#(Self.xml(Self.words(run)))">\#(output)</failure></testcase>"#
                )
            }
        }
        return (lines + ["</testsuite>"]).joined(separator: "\n")
    }

    /// Writes ``jUnit`` to a file.
    ///
    /// - Throws: `FileError`.
    package func writeJUnit(to file: String) throws {
        try FileContents.replace(file, with: Array((self.jUnit + "\n").utf8), waitsForDisk: false)
    }

    /// Escapes text for XML 1.0, and leaves out the control characters that it does not allow (section 2.2).
    private static func xml(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            default: if scalar.value >= 0x20 { escaped.unicodeScalars.append(scalar) }
            }
        }
        return escaped
    }
}
