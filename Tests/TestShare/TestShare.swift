import CTestRun
import Foundation
package import Testing

// Who runs the tests ten times a day is to wait for few of them and to have tried most. So tests that draw at random, have
// many cases or are about large things do a quarter of their work, and one in four of the long ones runs; another quarter
// each time. With `TAPEDECK_ALL_TESTS` in the environment, as in CI, everything runs.

private let runsAll = ProcessInfo.processInfo.environment["TAPEDECK_ALL_TESTS"] != nil

/// The temporary folder of this run, which is `TMPDIR` for it and the programs that it starts. It goes when the run ends.
package let testRunFolder = String(cString: test_run_folder())

extension Trait where Self == ConditionTrait {
    /// A test that takes a second or more. One in four of them runs; with a filter all do, as somebody asks for them.
    package static var long: Self {
        .enabled("a long test that is not this run's: TAPEDECK_ALL_TESTS=1 or a filter runs it") {
            // `--filter TEXT` or `--filter=TEXT`.
            runsAll || CommandLine.arguments.contains { $0.hasPrefix("--filter") } || Int.random(in: 0..<4) == 0
        }
    }
}

/// The seeds of a test that draws at random: some others in each run, out of ten thousand.
///
/// They are arguments of the test, so that a failure names the seed. `TAPEDECK_TEST_SEED=N` has each such test use that seed
/// alone, and `TAPEDECK_TEST_SEED=A-B` all from the one to the other.
package func seeds(_ count: Int) -> [UInt64] {
    namedSeeds.map(Array.init) ?? (0..<rounds(count)).map { _ in UInt64.random(in: 1...10_000) }
}

private let namedSeeds: ClosedRange<UInt64>? = {
    guard let text = ProcessInfo.processInfo.environment["TAPEDECK_TEST_SEED"], !text.isEmpty else { return nil }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt64($0) }
    guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
        fatalError("TAPEDECK_TEST_SEED is \"\(text)\": a seed such as 17, or seeds such as 1-10000")
    }
    return first...last
}()

/// One in four, at least one, in the order given.
package func some<Element>(of all: [Element]) -> [Element] {
    runsAll ? all : all.indices.shuffled().prefix(rounds(all.count)).sorted().map { all[$0] }
}

/// How often a test repeats something whose time or order is left to chance, or how many things are many: a quarter of
/// them, at least one.
package func rounds(_ all: Int) -> Int {
    runsAll ? all : max(1, all / 4)
}
