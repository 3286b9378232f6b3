// swift-tools-version:6.2
import PackageDescription

// A small client of an API, and tests of it with Tapedeck, in Swift Testing and in XCTest.
let package = Package(
    name: "GitHubClient",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [.library(name: "GitHubClient", targets: ["GitHubClient"])],
    dependencies: [
        // In a package of your own: .package(url: "…/tapedeck", from: "0.1.0")
        .package(name: "tapedeck", path: "../..")
    ],
    targets: [
        .target(name: "GitHubClient"),
        // A program that uses the client, to be run under every variant: see README.md.
        .executableTarget(name: "github-user", dependencies: ["GitHubClient"]),
        .testTarget(
            name: "GitHubClientTests",
            dependencies: [
                "GitHubClient",
                .product(name: "TapedeckTesting", package: "tapedeck"),
                .product(name: "TapedeckEmbedded", package: "tapedeck"),
            ],
            // Cassettes are read from where they are; they need not be in the bundle.
            exclude: ["Fixtures"]
        ),
    ]
)
