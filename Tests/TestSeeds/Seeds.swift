import Foundation

/// Tests that draw at random do a quarter of their work, unless the environment has `TAPEDECK_ALL_SEEDS`, as in CI.
private let runsAll = ProcessInfo.processInfo.environment["TAPEDECK_ALL_SEEDS"] != nil

/// The seeds that a property test runs with, out of all that it has: one in four, at least one, and others in each run. Who
/// runs the tests ten times a day has tried most of them, and waited for few.
package func seeds<Seed: BinaryInteger>(_ all: ClosedRange<Seed>) -> [Seed] where Seed.Stride: SignedInteger {
    let all = Array(all)
    return runsAll ? all : all.shuffled().prefix(rounds(all.count)).sorted()
}

/// How often a test repeats something whose time or order is left to chance.
package func rounds(_ all: Int) -> Int {
    runsAll ? all : max(1, all / 4)
}
