/// The memory of this process.
package enum SystemMemory {
    /// Gives the system back what was freed. glibc keeps it otherwise, and a large cassette that was replaced would take its
    /// memory for good.
    package static func giveBack() {
        #if canImport(Glibc)
        // Not in the headers that Swift imports.
        typealias Trim = @convention(c) (Int) -> Int32
        guard let trim = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(trim, to: Trim.self)(0)
        #endif
    }
}
