import TapedeckPlatform

/// What the system says of this process, under the names that all Prometheus clients use. What the system does not say is
/// left out. Reads files of `/proc`, which never wait for a disk.
package struct ProcessMetrics {
    /// In hundredths of a second, or whatever the system's ticks are.
    private var ticks: Int?
    private var residentBytes: Int?
    private var virtualBytes: Int?
    private var threads: Int?
    /// Since the system was started.
    private var startTicks: Int?
    private var bootSeconds: Int?
    private var openFiles: Int?
    private let ticksPerSecond = max(1, Int(sysconf(Int32(_SC_CLK_TCK))))

    package init() {
        // proc(5): the second field is a name in parentheses, which may hold anything; the third comes behind the last one.
        if let stat = Self.read("/proc/self/stat"), let end = stat.lastIndex(of: ")") {
            let fields = stat[end...].split(separator: " ").dropFirst().map { Int($0) }
            func field(_ number: Int) -> Int? { fields.indices.contains(number - 3) ? fields[number - 3] : nil }
            if let user = field(14), let system = field(15) { self.ticks = user + system }
            self.threads = field(20)
            self.startTicks = field(22)
            self.virtualBytes = field(23)
            self.residentBytes = field(24).map { $0 * Int(getpagesize()) }
        }
        if let stat = Self.read("/proc/stat") {
            let line = stat.split(separator: "\n").first { $0.hasPrefix("btime ") }
            self.bootSeconds = line.flatMap { Int($0.dropFirst("btime ".count)) }
        }
        self.openFiles = Self.countEntries("/proc/self/fd")
    }

    package func write(to text: inout MetricsText) {
        if let ticks = self.ticks {
            text.begin("process_cpu_seconds_total", .counter, "User and system CPU time spent, in seconds.")
            text.sample("process_cpu_seconds_total", [:], self.seconds(ticks))
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
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, let most = Int(exactly: limit.rlim_cur)
        {
            text.add("process_max_fds", .gauge, "The most file descriptors that may be open.", most)
        }
        if let boot = self.bootSeconds, let start = self.startTicks {
            text.begin("process_start_time_seconds", .gauge, "When the process was started, in seconds since 1970.")
            text.sample("process_start_time_seconds", [:], self.seconds(boot * self.ticksPerSecond + start))
        }
    }

    private func seconds(_ ticks: Int) -> String {
        let rest = ticks % self.ticksPerSecond * 1_000_000 / self.ticksPerSecond
        return MetricsText.seconds(ticks / self.ticksPerSecond * 1_000_000 + rest)
    }

    /// The first 64 KiB of a file whose size nobody knows before.
    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { [length] buffer in
                buffer.baseAddress.map { Glibc.read(file, $0 + length, buffer.count - length) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            length += count
        }
        return length > 0 ? String(decoding: bytes[..<length], as: UTF8.self) : nil
    }

    /// How many entries a folder has, without the descriptor that looking takes.
    private static func countEntries(_ path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = -1
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return max(0, count)
    }
}
