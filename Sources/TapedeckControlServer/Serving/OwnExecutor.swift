import Dispatch

/// Runs tasks one after the other on a thread that is not one of the few that all tasks of the process share: those may
/// all stand still and wait for what is served here.
final class OwnExecutor: TaskExecutor {
    // The queue keeps a thread of its own while it has work: a serial queue is not bound by the number of processors.
    private let queue = DispatchQueue(label: "tapedeck.control")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
