// swift-tools-version:6.2
import PackageDescription

// A separate package: AsyncHTTPClient adds a second TLS stack, and more than doubles a clean build.
let package = Package(
    name: "TapedeckAsyncHTTPClient",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TapedeckAsyncHTTPClient", targets: ["TapedeckAsyncHTTPClient"])
    ],
    dependencies: [
        .package(name: "tapedeck", path: "../.."),
        // The client that is configured.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Names the types of the client's configuration.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // Names the types of headers and timeouts.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(
            name: "TapedeckAsyncHTTPClient",
            dependencies: [
                .product(name: "TapedeckTestingCore", package: "tapedeck"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "TapedeckAsyncHTTPClientTests",
            dependencies: [
                "TapedeckAsyncHTTPClient",
                .product(name: "TapedeckTesting", package: "tapedeck"),
                .product(name: "TapedeckEmbedded", package: "tapedeck"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests"
        ),
    ]
)

// Not for the tests, which use members of modules that AsyncHTTPClient alone knows.
for target in package.targets where !target.isTest {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
