import Foundation
package import Testing

// Who runs the tests ten times a day is to wait for few of them and to have tried most. So tests that draw at random, have
// many cases or are about large things do a quarter of their work, and one in four of the long ones runs; another quarter
// each time. With `TAPEDECK_ALL_TESTS` in the environment, as in CI, everything runs.

private let runsAll = ProcessInfo.processInfo.environment["TAPEDECK_ALL_TESTS"] != nil

extension Trait where Self == ConditionTrait {
    /// A test that takes a second or more. One in four of them runs; with a filter all do, as somebody asks for them.
    package static var long: Self {
        .enabled("a long test that is not this run's: TAPEDECK_ALL_TESTS=1 or a filter runs it") {
            // `--filter TEXT` or `--filter=TEXT`.
            runsAll || CommandLine.arguments.contains { $0.hasPrefix("--filter") } || Int.random(in: 0..<4) == 0
        }
    }
}

/// The seeds that a property test runs with, out of all that it has.
package func seeds<Seed: BinaryInteger>(_ all: ClosedRange<Seed>) -> [Seed] where Seed.Stride: SignedInteger {
    some(of: Array(all))
}

/// One in four, at least one, in the order given.
package func some<Element>(of all: [Element]) -> [Element] {
    runsAll ? all : all.indices.shuffled().prefix(rounds(all.count)).sorted().map { all[$0] }
}

/// How often a test repeats something whose time or order is left to chance, or how many things are many: a quarter of
/// them, at least one.
package func rounds(_ all: Int) -> Int {
    runsAll ? all : max(1, all / 4)
}
