#if os(Linux)
import TapedeckPlatform

/// Read from files of `/proc`.
extension ProcessMetrics {
    /// The data as they are now.
    package static var current: ProcessMetrics {
        var metrics = ProcessMetrics()
        // proc(5): the second field is a name in parentheses, which may hold anything; the third comes behind the last one.
        var startTicks: Int?
        if let stat = self.read("/proc/self/stat"), let end = stat.lastIndex(of: ")") {
            let fields = stat[end...].split(separator: " ").dropFirst().map { Int($0) }
            func field(_ number: Int) -> Int? { fields.indices.contains(number - 3) ? fields[number - 3] : nil }
            if let user = field(14), let system = field(15) { metrics.processorTime = self.microseconds(user + system) }
            metrics.threads = field(20)
            startTicks = field(22)
            metrics.virtualBytes = field(23)
            metrics.residentBytes = field(24).map { $0 * Int(getpagesize()) }
        }
        if let startTicks, let stat = self.read("/proc/stat") {
            let line = stat.split(separator: "\n").first { $0.hasPrefix("btime ") }
            let boot = line.flatMap { Int($0.dropFirst("btime ".count)) }
            // The ticks of a start are counted since the system was started.
            metrics.start = boot.map { $0 * 1_000_000 + self.microseconds(startTicks) }
        }
        metrics.openFiles = self.countEntries("/proc/self/fd")
        return metrics
    }

    /// - Parameter ticks: hundredths of a second, or the system's ticks.
    private static func microseconds(_ ticks: Int) -> Int {
        let perSecond = max(1, Int(sysconf(Int32(_SC_CLK_TCK))))
        return ticks / perSecond * 1_000_000 + ticks % perSecond * 1_000_000 / perSecond
    }

    /// Reads the first 64 KiB of a file of unknown size.
    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { [length] buffer in
                buffer.baseAddress.map { TapedeckPlatform.read(file, $0 + length, buffer.count - length) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            length += count
        }
        return length > 0 ? String(decoding: bytes[..<length], as: UTF8.self) : nil
    }

    /// Returns the number of entries of a folder, without the descriptor for reading it.
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
#endif
