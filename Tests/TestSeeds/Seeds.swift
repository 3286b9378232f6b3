import Foundation

/// Tests that draw at random, have many cases or are about large things do a quarter of their work, unless the environment
/// has `TAPEDECK_ALL_SEEDS`, as in CI.
private let runsAll = ProcessInfo.processInfo.environment["TAPEDECK_ALL_SEEDS"] != nil

/// The seeds that a property test runs with, out of all that it has.
package func seeds<Seed: BinaryInteger>(_ all: ClosedRange<Seed>) -> [Seed] where Seed.Stride: SignedInteger {
    some(of: Array(all))
}

/// One in four, at least one, and others in each run: who runs the tests ten times a day has tried most of them, and waited
/// for few. In the order given.
package func some<Element>(of all: [Element]) -> [Element] {
    runsAll ? all : all.indices.shuffled().prefix(rounds(all.count)).sorted().map { all[$0] }
}

/// How often a test repeats something whose time or order is left to chance, or how many things are many: a quarter of
/// them, at least one.
package func rounds(_ all: Int) -> Int {
    runsAll ? all : max(1, all / 4)
}
