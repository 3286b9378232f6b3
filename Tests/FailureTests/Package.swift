// swift-tools-version:6.2
import PackageDescription

// A package of its own: its tests run its own test program again, with tests that fail on purpose, as a user's would. With
// TAPEDECK_BIN the deck is that program, as a child process, and none is built.
let hasProgram = Context.environment["TAPEDECK_BIN"] != nil

let package = Package(
    name: "FailureTests",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tapedeck", path: "../..", traits: hasProgram ? [] : [.defaults])
    ],
    targets: [
        .testTarget(
            name: "FailureTests",
            dependencies: [.product(name: "TapedeckTesting", package: "tapedeck")]
                + (hasProgram ? [] : [.product(name: "TapedeckEmbedded", package: "tapedeck")]),
            path: "Tests",
            exclude: ["Fixtures"]
        )
    ]
)
