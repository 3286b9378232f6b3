/// A thread of the system, for work that blocks.
package struct SystemThread: @unchecked Sendable {
    // Proof of @unchecked Sendable: the value names a thread to the system, from wherever, and does not change.
    private let thread: pthread_t

    /// The system has no thread left.
    package struct Failure: Error {
        /// The error number.
        package let code: Int32
    }

    /// Starts a thread that ends with `work`. Either ``join()`` or ``detach()`` is to be called, once.
    ///
    /// - Throws: ``Failure``.
    package init(_ work: @escaping @Sendable () -> Void) throws(Failure) {
        let box = Unmanaged.passRetained(Work(run: work))
        // On Darwin the thread and the argument may be null.
        #if canImport(Darwin)
        var made: pthread_t?
        #else
        var made = pthread_t()
        #endif
        let status = pthread_create(
            &made,
            nil,
            { argument in
                let argument: UnsafeMutableRawPointer? = argument
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        let thread: pthread_t? = made
        guard status == 0, let thread else {
            box.release()
            throw Failure(code: status)
        }
        self.thread = thread
    }

    /// Waits for the end of the thread.
    package func join() {
        pthread_join(self.thread, nil)
    }

    /// Lets the thread run by itself.
    package func detach() {
        pthread_detach(self.thread)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
