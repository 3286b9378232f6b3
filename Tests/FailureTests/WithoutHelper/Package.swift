// swift-tools-version:6.2
import PackageDescription

// A separate package: a test program without TapedeckTesting, which fails every test of a program it is linked to. With
// TAPEDECK_TEST_SUPPORT set, IssueReporting can fail a test.
let hasSupport = Context.environment["TAPEDECK_TEST_SUPPORT"] != nil
let support = Target.Dependency.product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")

let package = Package(
    name: "WithoutHelper",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tapedeck", path: "../../..", traits: []),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
    ],
    targets: [
        .testTarget(
            name: "WithoutHelperTests",
            dependencies: [.product(name: "TapedeckTestingCore", package: "tapedeck")] + (hasSupport ? [support] : []),
            path: "Tests"
        )
    ]
)
