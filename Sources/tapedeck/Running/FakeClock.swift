import TapedeckCassettes
import TapedeckDeck

/// The library that gives a command another time of day, libfaketime.
///
/// It reaches programs that ask the C library for the time, which static binaries, such as those of Go, do not.
struct FakeClock {
    /// The path of the library.
    let library: String

    /// `nil` if it is not installed.
    static var installed: FakeClock? {
        Self.candidates.first(where: FileContents.exists).map(FakeClock.init)
    }

    #if canImport(Darwin)
    private static let preloads = "DYLD_INSERT_LIBRARIES"
    private static let candidates = ["/opt/homebrew", "/usr/local"].map { "\($0)/lib/faketime/libfaketime.1.dylib" }
    #else
    private static let preloads = "LD_PRELOAD"
    private static var candidates: [String] {
        let folders = FileContents.names(in: "/usr/lib").filter { $0.hasSuffix("-linux-gnu") }.sorted()
        let paths = folders.map { "/usr/lib/\($0)" } + ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
        // The first one is for programs with threads.
        return paths.flatMap { path in ["MT", ""].map { "\(path)/faketime/libfaketime\($0).so.1" } }
    }
    #endif

    /// The variables that move a command's clock.
    ///
    /// - Parameters:
    ///   - offset: by as many seconds.
    ///   - environment: the one that it has otherwise.
    func variables(offset: Int, inheriting environment: [String: String]) -> [String: String] {
        self.variables(inheriting: environment).merging(["FAKETIME": "\(offset < 0 ? "" : "+")\(offset)"]) { $1 }
    }

    /// The variables that let a command's clock begin at a time.
    ///
    /// - Parameter time: in seconds since 1970.
    func variables(at time: Int64, inheriting environment: [String: String]) -> [String: String] {
        self.variables(inheriting: environment).merging(["FAKETIME": "@\(time)", "FAKETIME_FMT": "%s"]) { $1 }
    }

    private func variables(inheriting environment: [String: String]) -> [String: String] {
        let others = environment[Self.preloads].map { $0.isEmpty ? "" : ":\($0)" } ?? ""
        // Timeouts and waits go by the real clock.
        return [Self.preloads: self.library + others, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"]
    }
}
