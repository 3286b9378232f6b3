#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The environment of this process.
package enum ProcessEnvironment {
    package static var variables: [String: String] { ProcessInfo.processInfo.environment }

    /// The value of a variable, unless it is empty.
    package static func value(_ name: String) -> String? {
        self.variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A name for a folder of this process's own among temporary files.
    package static func temporaryFolder(_ name: String) -> String {
        "\(self.value("TMPDIR") ?? "/tmp")/\(name)-\(ProcessInfo.processInfo.processIdentifier)"
    }
}
