#if canImport(Darwin)
import TapedeckPlatform

extension ProcessMetrics {
    /// The data as they are now.
    package static var current: ProcessMetrics {
        var metrics = ProcessMetrics()
        var usage = rusage()
        if getrusage(RUSAGE_SELF, &usage) == 0 {
            metrics.processorTime = self.microseconds(usage.ru_utime) + self.microseconds(usage.ru_stime)
        }
        var info = proc_taskallinfo()
        let size = Int32(MemoryLayout<proc_taskallinfo>.size)
        if proc_pidinfo(getpid(), PROC_PIDTASKALLINFO, 0, &info, size) == size {
            metrics.residentBytes = Int(clamping: info.ptinfo.pti_resident_size)
            metrics.virtualBytes = Int(clamping: info.ptinfo.pti_virtual_size)
            metrics.threads = Int(info.ptinfo.pti_threadnum)
            let (seconds, microseconds) = (info.pbsd.pbi_start_tvsec, info.pbsd.pbi_start_tvusec)
            metrics.start = Int(clamping: seconds) * 1_000_000 + Int(clamping: microseconds)
        }
        metrics.openFiles = self.countFiles()
        return metrics
    }

    private static func microseconds(_ time: timeval) -> Int { time.tv_sec * 1_000_000 + Int(time.tv_usec) }

    /// Returns the number of open files; `nil` if the system does not say.
    private static func countFiles() -> Int? {
        // Without room for them, it says how much they would take, and some more.
        let size = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, nil, 0)
        guard size > 0 else { return nil }
        var files = [proc_fdinfo](repeating: proc_fdinfo(), count: Int(size) / MemoryLayout<proc_fdinfo>.stride)
        let room = Int32(files.count * MemoryLayout<proc_fdinfo>.stride)
        let taken = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, &files, room)
        return taken > 0 ? Int(taken) / MemoryLayout<proc_fdinfo>.stride : nil
    }
}
#endif
