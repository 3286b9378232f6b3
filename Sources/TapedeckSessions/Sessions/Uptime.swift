import NIOCore

/// A clock that only goes forward.
package enum Uptime {
    static var seconds: Int64 { self.seconds(.now()) }

    static func seconds(_ time: NIODeadline) -> Int64 { Int64(time.uptimeNanoseconds / 1_000_000_000) }
}
