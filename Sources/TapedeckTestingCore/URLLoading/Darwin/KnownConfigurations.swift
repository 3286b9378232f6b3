#if canImport(Darwin)
import Foundation
import TapedeckLocking

/// The configurations that lead to decks, by number, for the life of the process.
///
/// A URL protocol sees its request, with the header fields of the configuration in it, but neither the session nor the
/// configuration. So one of the fields is the number here.
enum KnownConfigurations {
    private static let all = Locked<[URLSessionConfiguration]>([])

    /// - Returns: the number of the configuration.
    static func add(_ configuration: URLSessionConfiguration) -> String {
        self.all.withLock { all in
            all.append(configuration)
            return String(all.count - 1)
        }
    }

    /// Returns the configuration with a number; `nil` where there is none.
    static func configuration(_ number: String?) -> URLSessionConfiguration? {
        guard let number = number.flatMap({ Int($0) }) else { return nil }
        return self.all.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }
}
#endif
