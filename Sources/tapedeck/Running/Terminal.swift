import Logging

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Standard output for results, standard error for everything else.
enum Terminal {
    static func print(_ text: String) {
        self.write(text + "\n", to: STDOUT_FILENO)
    }

    /// A line about what Tapedeck does, told apart from the child's own by its first word.
    static func note(_ text: String) {
        self.write("tapedeck: \(text)\n", to: STDERR_FILENO)
    }

    /// Writes at once, since a pipe would otherwise show nothing until a buffer is full.
    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[max(0, count)...])
            }
        }
    }
}

/// Shows the libraries' log as notes.
struct TerminalLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }
        let details = metadata.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        // What is worth a notice is nothing to be warned of.
        let level = event.level == .notice ? "" : "\(event.level): "
        Terminal.note("\(level)\(event.message)" + (details.isEmpty ? "" : " (\(details))"))
    }
}
