import NIOCore

/// A clock that only goes forward.
enum Uptime {
    static var seconds: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }
}
