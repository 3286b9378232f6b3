#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The time zone of this process: that of TZ, or of the machine.
package enum LocalZone {
    /// Returns the distance of local time to UTC in minutes, positive to the east.
    ///
    /// - Parameter seconds: since 1970.
    package static func minutes(at seconds: Int) -> Int {
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return Int(parts.tm_gmtoff) / 60
    }
}
