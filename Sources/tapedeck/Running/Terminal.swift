import Logging
import TapedeckLocking

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Standard output for results, standard error for everything else: as text for people, or a JSON object a line for
/// programs.
enum Terminal {
    private static let format = Locked(LogFormat.text)

    /// How notes are written from here on.
    static func use(_ format: LogFormat) {
        self.format.withLock { $0 = format }
    }

    static func print(_ text: String) {
        self.write(text + "\n", to: STDOUT_FILENO)
    }

    /// A line about what Tapedeck does, told apart from the child's own by its first word.
    ///
    /// - Parameters:
    ///   - text: what people read.
    ///   - message: what programs read in its place, with the fields; the same text where there is none.
    static func note(
        _ text: String,
        _ level: Logger.Level = .notice,
        message: String? = nil,
        fields: [(String, LogLine.Value)] = []
    ) {
        self.note(level, message ?? text, fields) { [text] }
    }

    /// The same where people read several lines.
    static func note(
        _ level: Logger.Level = .notice,
        _ message: String,
        _ fields: [(String, LogLine.Value)],
        lines: () -> [String]
    ) {
        switch self.format.withLock({ $0 }) {
        case .text:
            let text = lines().map { "tapedeck: \($0)\n" }.joined()
            self.write(text, to: STDERR_FILENO)
        case .json:
            self.line(LogLine(level: level, message: message, logger: "tapedeck", fields: fields))
        }
    }

    /// Shows what a library logged.
    fileprivate static func log(_ event: LogEvent, _ metadata: Logger.Metadata, logger: String) {
        let metadata = metadata.sorted { $0.key < $1.key }
        switch self.format.withLock({ $0 }) {
        case .text:
            let details = metadata.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            // What is worth a notice is nothing to be warned of.
            let level = event.level == .notice ? "" : "\(event.level): "
            self.note("\(level)\(event.message)" + (details.isEmpty ? "" : " (\(details))"))
        case .json:
            let fields = metadata.map { ($0.key, LogLine.Value($0.value)) }
            self.line(LogLine(level: event.level, message: "\(event.message)", logger: logger, fields: fields))
        }
    }

    private static func line(_ line: LogLine) {
        self.write(line.json + "\n", to: STDERR_FILENO)
    }

    /// One line at a time, however many threads write.
    private static let turn = Locked(())

    /// Writes at once, since a pipe would otherwise show nothing until a buffer is full.
    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            self.turn.withLock { _ in Self.write(bytes, to: descriptor) }
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EAGAIN {
                // Another process has made the pipe that it shares with this one non-blocking.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
                continue
            }
            guard count > 0 || errno == EINTR else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[max(0, count)...])
        }
    }
}

/// Shows the libraries' log as notes.
struct TerminalLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let label: String

    init(label: String, logLevel: Logger.Level) {
        self.label = label
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // What is said with one line goes before what goes for all.
        let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        Terminal.log(event, metadata, logger: self.label)
    }
}
