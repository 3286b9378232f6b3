// swift-tools-version:6.2
import PackageDescription

/// One list of settings for every target, so that no target is laxer than another.
let settings: [SwiftSetting] = [
    // SE-0335: `any` is written wherever an existential is meant.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: an extension member is visible only where its module is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: an import shows in a target's API only where it says so.
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A product of another package that only a deck needs. Who turns the trait off, and so links the client alone, neither
/// fetches nor builds it.
func ofDeck(_ name: String, package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Deck"]))
}

let package = Package(
    name: "tapedeck",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "tapedeck", targets: ["tapedeck"]),
        // For a test target: traits for Swift Testing and a base class for XCTest. No NIO, no OpenSSL. For AsyncHTTPClient
        // there is a package of its own in Packages, which needs a second TLS stack.
        .library(name: "TapedeckTesting", targets: ["TapedeckTesting"]),
        // A deck inside the test process, beside TapedeckTesting. Without it the deck runs elsewhere, named by TAPEDECK_URL.
        .library(name: "TapedeckEmbedded", targets: ["TapedeckEmbedded"]),
        // For a library that test targets use: links no test framework, and fails tests all the same.
        .library(name: "TapedeckTestingCore", targets: ["TapedeckTestingCore"]),
    ],
    traits: [
        .trait(
            name: "Deck",
            description: "The deck itself: the program, and TapedeckEmbedded. Without it there is the client for tests."
        ),
        .default(enabledTraits: ["Deck"]),
    ],
    dependencies: [
        // Sockets, event loops and byte buffers of the data plane.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Commands and options of the command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // A queue for the entries of a journal, which come at one end and go at the other.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The logging interface of the libraries.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Has issues of tests reported where no test framework is linked.
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        // Tests only: the oracle that our YAML reader and writer are held against.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        // Takes the content coding br off and puts it on.
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        // Takes the content coding zstd off and puts it on.
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        .systemLibrary(
            name: "CPCRE2",
            pkgConfig: "libpcre2-8",
            providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]
        ),
        // Converts character encodings of imported files.
        .systemLibrary(name: "CIconv"),
        // Frames, compression of fields and windows of HTTP/2.
        .systemLibrary(
            name: "CNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
        ),
        // The C library of the system.
        .target(name: "TapedeckPlatform"),
        // The one lock, which the thread sanitizer understands.
        .target(name: "TapedeckLocking"),
        // Reads, changes and writes JSON, for the deck and for tests; no system library.
        .target(name: "TapedeckJSON"),
        // Messages of protobuf, with and without descriptors, and how gRPC, gRPC-Web and Connect put them into bodies. No
        // HTTP and no I/O.
        .target(name: "TapedeckProtobuf", dependencies: ["TapedeckJSON"]),
        // zlib for the objects of git, without the types of the system that its own header brings along.
        .target(name: "CTapedeckInflate", dependencies: ["CZlib"]),
        .target(
            name: "TapedeckCore",
            dependencies: ["TapedeckPlatform", "TapedeckJSON", "TapedeckProtobuf", "CPCRE2", "CTapedeckInflate"]
        ),
        .target(name: "TapedeckTemplates", dependencies: ["TapedeckCore"]),
        // Content codings and base64, put on and taken off.
        .target(
            name: "TapedeckCodings",
            dependencies: ["TapedeckProtobuf", "TapedeckCore", "CBrotli", "CZlib", "CZstd"]
        ),
        // Finds secrets in exchanges and puts placeholders in their place; puts values in place of placeholders.
        .target(
            name: "TapedeckRedaction",
            dependencies: [
                "TapedeckPlatform", "TapedeckLocking", "TapedeckProtobuf", "TapedeckCore", "TapedeckCodings",
            ]
        ),
        // Reads and writes plain YAML; knows nothing of cassettes.
        .target(name: "TapedeckYAML", dependencies: ["TapedeckPlatform"]),
        // Calls of the system that have no name in Swift.
        .target(name: "CTapedeckDisk"),
        // Runs a command in namespaces of its own: before any thread exists, and so before Swift's.
        .target(name: "CTapedeckIsolation"),
        // The arguments of main, which Swift does not find if a preloaded library has changed the environment.
        .target(name: "CTapedeckArguments"),
        .target(
            name: "TapedeckCassettes",
            dependencies: [
                "TapedeckPlatform",
                "CTapedeckDisk",
                "TapedeckLocking",
                "TapedeckProtobuf",
                "TapedeckCore",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckTemplates",
                "TapedeckYAML",
            ]
        ),
        // Reads files of other tools, and writes them.
        .target(
            name: "TapedeckImport",
            dependencies: ["TapedeckJSON", "TapedeckCore", "TapedeckCodings", "CIconv"],
            linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]
        ),
        .target(
            name: "TapedeckTLS",
            dependencies: [
                "TapedeckPlatform",
                "TapedeckLocking",
                "COpenSSL",
                ofDeck("NIOCore", package: "swift-nio"),
            ]
        ),
        // Reads HTTP/1.1 off the wire: heads, header fields and bodies, without copies. No sockets.
        .target(
            name: "TapedeckHTTP1",
            dependencies: ["TapedeckCore", ofDeck("NIOCore", package: "swift-nio")]
        ),
        // One end of an HTTP/2 connection, without its socket.
        .target(
            name: "TapedeckHTTP2",
            dependencies: ["TapedeckCore", "CNghttp2", ofDeck("NIOCore", package: "swift-nio")]
        ),
        // What a deck is, without its sockets: sessions and their directory, recording, journal, limits, metrics, and takes as
        // they are played.
        .target(
            name: "TapedeckSessions",
            dependencies: [
                "TapedeckPlatform",
                "TapedeckLocking",
                "TapedeckProtobuf",
                "TapedeckCore",
                "TapedeckHTTP1",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckTemplates",
                "TapedeckCassettes",
                "TapedeckTLS",
                ofDeck("DequeModule", package: "swift-collections"),
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        // The data plane: listeners, clients' connections, origins, and playing on the wire.
        .target(
            name: "TapedeckProxy",
            dependencies: [
                "CTapedeckIsolation",
                "TapedeckPlatform",
                "TapedeckLocking",
                "TapedeckProtobuf",
                "TapedeckCore",
                "TapedeckHTTP1",
                "TapedeckHTTP2",
                "TapedeckCodings",
                "TapedeckCassettes",
                "TapedeckTLS",
                "TapedeckSessions",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        // Files of other targets that are part of the program, such as the live page: in C, which takes them in as they are.
        .target(name: "CTapedeckAssets"),
        .target(name: "TapedeckAssets", dependencies: ["CTapedeckAssets"]),
        // The JSON of the control API, for the server and for clients; no NIO, no OpenSSL.
        .target(name: "TapedeckControlAPI"),
        .target(
            name: "TapedeckControlServer",
            dependencies: [
                "TapedeckAssets",
                "TapedeckLocking",
                "TapedeckProtobuf",
                "TapedeckCore",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckCassettes",
                "TapedeckTLS",
                "TapedeckSessions",
                "TapedeckHTTP1",
                "TapedeckControlAPI",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ],
            // Parts of the program by CTapedeckAssets.
            exclude: ["Page", "openapi.json"]
        ),
        .target(
            name: "TapedeckControlClient",
            dependencies: ["TapedeckPlatform", "TapedeckLocking", "TapedeckControlAPI"]
        ),
        // Maintains cassettes between runs: drift, refresh, diff, suggest, prune, scan, scrub. No sockets: a deck asks live
        // APIs for it.
        .target(
            name: "TapedeckMaintenance",
            dependencies: [
                "TapedeckCore",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckCassettes",
                "TapedeckYAML",
                "TapedeckTLS",
            ]
        ),
        .target(
            name: "TapedeckDeck",
            dependencies: [
                "TapedeckAssets",
                "TapedeckPlatform",
                "TapedeckLocking",
                "TapedeckCore",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckImport",
                "TapedeckCassettes",
                "TapedeckMaintenance",
                "TapedeckYAML",
                "TapedeckHTTP1",
                "TapedeckTLS",
                "TapedeckSessions",
                "TapedeckProxy",
                "TapedeckControlServer",
                "TapedeckControlAPI",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ],
            // Parts of the program by CTapedeckAssets.
            exclude: ["ClientFiles/Hooks"]
        ),
        .executableTarget(
            name: "tapedeck",
            dependencies: [
                "CTapedeckArguments",
                "CTapedeckIsolation",
                "TapedeckPlatform",
                "TapedeckLocking",
                "TapedeckCore",
                "TapedeckCassettes",
                "TapedeckMaintenance",
                "TapedeckSessions",
                "TapedeckProxy",
                "TapedeckDeck",
                "TapedeckControlClient",
                "TapedeckControlAPI",
                "TapedeckAssets",
                ofDeck("ArgumentParser", package: "swift-argument-parser"),
                ofDeck("Logging", package: "swift-log"),
            ]
        ),
        // What a test says to a deck: sessions, selections, stubs, expectations, clients. No test framework, NIO, OpenSSL.
        .target(
            name: "TapedeckTestingCore",
            dependencies: [
                "TapedeckPlatform",
                "TapedeckControlAPI",
                "TapedeckControlClient",
                "TapedeckJSON",
                "TapedeckLocking",
                "TapedeckYAML",
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
            ]
        ),
        // The deck inside the test process. Linking it is enough: see its C part.
        .target(name: "CTapedeckEmbedded"),
        .target(
            name: "TapedeckEmbedded",
            dependencies: [
                "CTapedeckEmbedded",
                "TapedeckPlatform",
                "TapedeckTestingCore",
                "TapedeckLocking",
                "TapedeckCassettes",
                "TapedeckMaintenance",
                "TapedeckDeck",
                "TapedeckTLS",
                ofDeck("Logging", package: "swift-log"),
            ]
        ),
        // Traits for Swift Testing, a base class and a mix-in for XCTest. Linking it is enough for `withTapedeck` to fail
        // the right test: see its C part.
        .target(name: "CTapedeckTesting"),
        .target(name: "TapedeckTesting", dependencies: ["CTapedeckTesting", "TapedeckTestingCore", "TapedeckLocking"]),
        // The share of their work that tests do when they are run by hand.
        .target(name: "TestShare", dependencies: ["CTestRun"], path: "Tests/TestShare"),
        // A run of the tests, also an interrupted one, leaves nothing behind: see its C part.
        .target(name: "CTestRun", path: "Tests/CTestRun"),
        .testTarget(
            name: "TapedeckTestingCoreTests",
            dependencies: [
                "TapedeckTestingCore",
                "TapedeckControlClient",
                "TapedeckControlAPI",
                "TapedeckDeck",
                "TapedeckCassettes",
                "TapedeckCore",
                "TestShare",
                ofDeck("Logging", package: "swift-log"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
            ]
        ),
        .testTarget(
            name: "TapedeckTestingTests",
            dependencies: [
                "TapedeckTesting",
                "TapedeckEmbedded",
                "TapedeckTestingCore",
                "TapedeckControlClient",
                "TapedeckControlAPI",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "TapedeckProtobufTests",
            dependencies: ["TapedeckProtobuf", "TapedeckJSON", "TestShare"],
            exclude: ["Protos"]
        ),
        .testTarget(
            name: "TapedeckCoreTests",
            dependencies: ["TapedeckCore", "TapedeckJSON", "TapedeckProtobuf", "TestShare"]
        ),
        .testTarget(
            name: "TapedeckRedactionTests",
            dependencies: [
                "TapedeckRedaction", "TapedeckProtobuf", "TapedeckJSON", "TapedeckCodings", "TapedeckCore", "TestShare",
            ]
        ),
        .testTarget(name: "TapedeckTemplatesTests", dependencies: ["TapedeckTemplates", "TapedeckCore", "TestShare"]),
        .testTarget(
            name: "TapedeckCassettesTests",
            dependencies: [
                "TapedeckCassettes",
                "TapedeckMaintenance",
                "TapedeckPlatform",
                "TapedeckProtobuf",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckCore",
                "TapedeckYAML",
                "TestShare",
                ofDeck("Yams", package: "Yams"),
            ],
            exclude: ["Goldens/Diagnostics", "Goldens/diagnostics.txt", "Meaning/Pairs"]
        ),
        .testTarget(
            name: "TapedeckMaintenanceTests",
            dependencies: [
                "TapedeckMaintenance",
                "TapedeckCassettes",
                "TapedeckCore",
            ]
        ),
        .testTarget(
            name: "TapedeckImportTests",
            dependencies: [
                "TapedeckImport",
                "TapedeckCodings",
                "TapedeckCore",
                "TapedeckCassettes",
                "TapedeckDeck",
                "TapedeckControlAPI",
                "TestShare",
                ofDeck("Yams", package: "Yams"),
            ],
            exclude: ["Files"]
        ),
        .testTarget(
            name: "TapedeckTLSTests",
            dependencies: [
                "TapedeckTLS",
                "COpenSSL",
                "TestShare",
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOEmbedded", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TapedeckHTTP1Tests",
            dependencies: ["TapedeckHTTP1", "TapedeckCore", "TestShare", ofDeck("NIOCore", package: "swift-nio")]
        ),
        .testTarget(
            name: "TapedeckHTTP2Tests",
            dependencies: [
                "TapedeckCore",
                "TapedeckHTTP2",
                "TestShare",
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TapedeckSessionsTests",
            dependencies: [
                "TapedeckSessions",
                "TapedeckProtobuf",
                "TapedeckHTTP1",
                "TapedeckCore",
                "TapedeckCassettes",
                "TapedeckTLS",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TapedeckProxyTests",
            dependencies: [
                "TapedeckLocking",
                "TapedeckProxy",
                "TapedeckSessions",
                "TapedeckHTTP1",
                "TapedeckHTTP2",
                "TapedeckProtobuf",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckCore",
                "TapedeckCassettes",
                "TapedeckTLS",
                "TestShare",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOEmbedded", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TapedeckControlClientTests",
            dependencies: ["TapedeckControlClient", "TapedeckControlAPI"]
        ),
        .testTarget(
            name: "TapedeckDeckTests",
            dependencies: [
                "TapedeckAssets",
                "TapedeckDeck",
                "TapedeckCodings",
                "TapedeckRedaction",
                "TapedeckCore",
                "TapedeckCassettes",
                "TapedeckMaintenance",
                "TapedeckControlClient",
                "TapedeckControlAPI",
                "TapedeckProxy",
                "TapedeckSessions",
                "TapedeckTLS",
                "TestShare",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TapedeckControlServerTests",
            dependencies: [
                "TapedeckControlServer",
                "TapedeckControlAPI",
                "TapedeckSessions",
                "TapedeckProxy",
                "TapedeckCassettes",
                "TapedeckCore",
                "TapedeckTLS",
                "TestShare",
                ofDeck("Logging", package: "swift-log"),
                ofDeck("NIOCore", package: "swift-nio"),
                ofDeck("NIOPosix", package: "swift-nio"),
            ]
        ),
        // The built program, with real clients and a real origin.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "tapedeck", "TapedeckCore", "TapedeckTLS", "TestShare",
                ofDeck("ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: [
                "origin.py", "Recording/kill_rounds.py", "Redaction/corpus.py", "Redaction/digests.py",
                "Redaction/Forms", "Redaction/openid.py", "Redaction/signed.py", "Running/row_tests.txt",
                "Running/short_runs.py", "Sessions/sessions.py", "Upstream/proxy.py", "Upstream/certificate_origin.py",
            ]
        ),
    ]
)

// Built only when asked for, as one of them needs Yams, which the program itself does not: see Benchmarks/README.md.
if Context.environment["TAPEDECK_BENCHMARKS"] != nil {
    package.targets += [
        .executableTarget(
            name: "CassetteBenchmark",
            dependencies: ["TapedeckCassettes", "TapedeckCore", ofDeck("Yams", package: "Yams")],
            path: "Benchmarks/CassetteBenchmark"
        ),
        .executableTarget(
            name: "MatchBenchmark",
            dependencies: ["TapedeckCore"],
            path: "Benchmarks/MatchBenchmark"
        ),
        .executableTarget(
            name: "RedactionBenchmark",
            dependencies: ["TapedeckRedaction", "TapedeckCore"],
            path: "Benchmarks/RedactionBenchmark"
        ),
        .executableTarget(
            name: "SessionBenchmark",
            dependencies: [
                "TapedeckCassettes",
                "TapedeckCore",
                "TapedeckSessions",
                "TapedeckTLS",
                ofDeck("Logging", package: "swift-log"),
            ],
            path: "Benchmarks/SessionBenchmark"
        ),
        .executableTarget(
            name: "HelperBenchmark",
            dependencies: ["TapedeckTestingCore", "TapedeckEmbedded"],
            path: "Benchmarks/HelperBenchmark"
        ),
        .executableTarget(
            name: "TestStartBenchmark",
            dependencies: [
                "TapedeckTestingCore",
                "TapedeckControlClient",
                "TapedeckControlAPI",
                "TapedeckEmbedded",
            ],
            path: "Benchmarks/TestStartBenchmark"
        ),
    ]
}

// Makes the documentation of the test helper: see .ci/run. Not for those who only use the package.
if Context.environment["TAPEDECK_DOCUMENTATION"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
