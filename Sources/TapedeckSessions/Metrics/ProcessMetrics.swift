import TapedeckPlatform

/// The system's data about this process, under the names that all Prometheus clients use. Unavailable data are left
/// out. Taking them never waits for a disk.
package struct ProcessMetrics {
    /// The time of the processors, of the program and of the system for it, in microseconds.
    var processorTime: Int?
    var residentBytes: Int?
    var virtualBytes: Int?
    var threads: Int?
    /// The time of its start, in microseconds since 1970.
    var start: Int?
    var openFiles: Int?

    package func write(to text: inout MetricsText) {
        if let time = self.processorTime {
            text.begin("process_cpu_seconds_total", .counter, "User and system CPU time spent, in seconds.")
            text.sample("process_cpu_seconds_total", [:], MetricsText.seconds(time))
        }
        if let bytes = self.residentBytes {
            text.add("process_resident_memory_bytes", .gauge, "Resident memory, in bytes.", bytes)
        }
        if let bytes = self.virtualBytes {
            text.add("process_virtual_memory_bytes", .gauge, "Virtual memory, in bytes.", bytes)
        }
        if let threads = self.threads { text.add("process_threads", .gauge, "Threads.", threads) }
        if let openFiles = self.openFiles {
            text.add("process_open_fds", .gauge, "Open file descriptors.", openFiles)
        }
        if let limit = ResourceLimit.openFiles.value, let most = Int(exactly: limit.rlim_cur) {
            text.add("process_max_fds", .gauge, "The most file descriptors that may be open.", most)
        }
        if let start = self.start {
            text.begin("process_start_time_seconds", .gauge, "When the process was started, in seconds since 1970.")
            text.sample("process_start_time_seconds", [:], MetricsText.seconds(start))
        }
    }
}
