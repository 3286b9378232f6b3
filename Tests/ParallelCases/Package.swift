// swift-tools-version:6.2
import PackageDescription

// A package of its own: under the thread sanitizer and in release it builds the test helper and these tests, and no other
// tests. With TAPEDECK_BIN the deck is that program, as a child process, and none is built.
let hasProgram = Context.environment["TAPEDECK_BIN"] != nil

let package = Package(
    name: "ParallelCases",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tapedeck", path: "../..", traits: hasProgram ? [] : [.defaults])
    ],
    targets: [
        .testTarget(
            name: "ParallelCases",
            dependencies: [.product(name: "TapedeckTesting", package: "tapedeck")]
                + (hasProgram ? [] : [.product(name: "TapedeckEmbedded", package: "tapedeck")]),
            path: "Tests"
        )
    ]
)
