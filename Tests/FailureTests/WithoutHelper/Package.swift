// swift-tools-version:6.2
import PackageDescription

// A package of its own once more: a test program without TapedeckTesting, as that fails every test of the program it is
// linked to. With TAPEDECK_TEST_SUPPORT set, IssueReporting is told how to fail a test.
let hasSupport = Context.environment["TAPEDECK_TEST_SUPPORT"] != nil
let support = Target.Dependency.product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")

let package = Package(
    name: "WithoutHelper",
    dependencies: [
        .package(name: "tapedeck", path: "../../.."),
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
