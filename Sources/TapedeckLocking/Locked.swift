#if canImport(Glibc)
public import Glibc
#elseif canImport(Musl)
public import Musl
#else
public import Darwin
#endif

/// A value behind a lock, held for the length of one call and never across an `await`.
///
/// It is a POSIX mutex and not `Synchronization.Mutex`, because that one hands itself on to a waiter inside the kernel
/// (FUTEX_LOCK_PI) on Linux, where the thread sanitizer cannot see it and reports races that are none.
///
/// It can be inlined, as the answer to every request takes some of these, and generic code of another module is slow.
@usableFromInline
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Proof of @unchecked Sendable: only `withLock` reads and writes `value`, and it holds `mutex` meanwhile. Values
    // that pass in and out are `sending`, so no caller keeps a reference.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    @inlinable
    package init(_ value: consuming sending Value) {
        self.mutex = .allocate(capacity: 1)
        // Fails only for lack of memory or invalid attributes; there are no attributes.
        let result = pthread_mutex_init(self.mutex, nil)
        precondition(result == 0, "cannot make a mutex: \(result)")
        self.value = value
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return try body(&self.value)
    }
}
