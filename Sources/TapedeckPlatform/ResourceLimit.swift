/// A limit that the system sets this process (`getrlimit(2)`).
package struct ResourceLimit {
    #if canImport(Glibc)
    private let resource: __rlimit_resource_t

    /// The number of open files and connections.
    package static let openFiles = ResourceLimit(resource: __rlimit_resource_t(RLIMIT_NOFILE.rawValue))
    #else
    private let resource: Int32

    /// The number of open files and connections.
    package static let openFiles = ResourceLimit(resource: RLIMIT_NOFILE)
    #endif

    /// The limit, and how far the process may raise it; `nil` where the system does not say.
    package var value: rlimit? {
        var limit = rlimit()
        return getrlimit(self.resource, &limit) == 0 ? limit : nil
    }

    /// The highest number of open files that the system accepts, whatever ``value`` lets this process have.
    package static var mostOpenFiles: rlim_t {
        #if canImport(Darwin)
        var most: Int32 = 0
        var size = MemoryLayout<Int32>.size
        // 10,240 is the system's OPEN_MAX.
        return sysctlbyname("kern.maxfilesperproc", &most, &size, nil, 0) == 0 ? rlim_t(most) : 10_240
        #else
        // As many as anybody needs, where the system sets no limit at all.
        return 1 << 20
        #endif
    }

    /// - Returns: true if the system has set it.
    package func set(_ limit: rlimit) -> Bool {
        var limit = limit
        return setrlimit(self.resource, &limit) == 0
    }
}
