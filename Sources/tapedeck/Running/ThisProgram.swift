import TapedeckPlatform

/// The program of this process.
enum ThisProgram {
    /// The path of its file, to start it anew. On Linux it leads to the file that runs even when another one has its name.
    static var path: String {
        #if canImport(Darwin)
        var bytes = [UInt8](repeating: 0, count: 4 * Int(MAXPATHLEN))
        let count = proc_pidpath(getpid(), &bytes, UInt32(bytes.count))
        return count > 0 ? String(decoding: bytes[..<Int(count)], as: UTF8.self) : ProgramArguments.all[0]
        #else
        return "/proc/\(getpid())/exe"
        #endif
    }
}
