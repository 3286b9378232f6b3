// swift-tools-version:6.2
import PackageDescription

// A package of its own: its tests run its own test program again, with tests that fail on purpose, as a user's would.
let package = Package(
    name: "FailureTests",
    dependencies: [
        .package(name: "tapedeck", path: "../..")
    ],
    targets: [
        .testTarget(
            name: "FailureTests",
            dependencies: [
                .product(name: "TapedeckTesting", package: "tapedeck"),
                .product(name: "TapedeckEmbedded", package: "tapedeck"),
            ],
            path: "Tests",
            exclude: ["Fixtures"]
        )
    ]
)
