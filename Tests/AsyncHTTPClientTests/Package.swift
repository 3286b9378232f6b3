// swift-tools-version:6.2
import PackageDescription

// A package of its own: AsyncHTTPClient brings a second TLS stack, and more than doubles a clean build.
let package = Package(
    name: "AsyncHTTPClientTests",
    dependencies: [
        // The client under test.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Names the types of the client's configuration.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .testTarget(
            name: "AsyncHTTPClientTests",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests"
        )
    ]
)
