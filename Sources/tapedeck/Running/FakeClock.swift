import TapedeckCassettes
import TapedeckDeck
import TapedeckPlatform

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
    /// By an offset: a time at which it begins would be kept in shared memory, and stay there.
    ///
    /// - Parameters:
    ///   - offset: by as many seconds.
    ///   - environment: the one that it has otherwise.
    func variables(offset: Int64, inheriting environment: [String: String]) -> [String: String] {
        let others = environment[Self.preloads].map { $0.isEmpty ? "" : ":\($0)" } ?? ""
        let time = "\(offset < 0 ? "" : "+")\(offset)"
        return [Self.preloads: self.library + others, "FAKETIME": time, "FAKETIME_NO_CACHE": "1"]
    }

    /// Removes the shared memory that the library leaves behind programs that replaced themselves, of processes that have ended.
    static func cleanUp() {
        #if !canImport(Darwin)
        let folder = "/dev/shm"
        for name in FileContents.names(in: folder) {
            guard let prefix = ["faketime_shm_", "sem.faketime_sem_"].first(where: name.hasPrefix),
                let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            unlink("\(folder)/\(name)")
        }
        #endif
    }
}
