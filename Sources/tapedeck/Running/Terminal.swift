import ArgumentParser
import Logging
import TapedeckCore
import TapedeckDeck
import TapedeckLocking
import TapedeckPlatform

/// The format of the lines on standard error.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs: an object a line.
    case json
}

/// Standard output for results, standard error for everything else: as text for people, or a JSON object a line for
/// programs.
enum Terminal {
    private static let format = Locked(LogFormat.text)

    /// Sets the format of notes.
    static func use(_ format: LogFormat) {
        self.format.withLock { $0 = format }
    }

    /// Prints what a program or a file gets: not a byte is changed.
    static func print(_ text: String) {
        self.write(text + "\n", to: STDOUT_FILENO)
    }

    /// Prints lines for a person. Names and answers in them may be anybody's.
    static func show(_ text: String) {
        self.print(text.printableLines)
    }

    /// A stream of the terminal.
    enum Stream: Sendable {
        case output, errors

        fileprivate var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }
    }

    /// True if a stream is a terminal.
    static func isInteractive(_ stream: Stream) -> Bool { isatty(stream.descriptor) == 1 }

    /// The columns of a line, by COLUMNS or the terminal; `nil` if it is not a terminal.
    static func width(of stream: Stream) -> Int? {
        guard self.isInteractive(stream) else { return nil }
        if let columns = ProcessEnvironment.value("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Colours, by the codes of ECMA-48 section 8.3.117.
    enum Colour: String {
        case bold = "1"
        case red = "31"
        case yellow = "33"
        case cyan = "36"
    }

    /// Returns a text in a colour, on a terminal that shows colours and unless NO_COLOR is set.
    static func coloured(_ text: String, _ colour: Colour, on stream: Stream) -> String {
        guard self.isInteractive(stream), ProcessEnvironment.value("NO_COLOR") == nil,
            ProcessEnvironment.value("TERM") != "dumb"
        else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// Prints rows as a table that fits the terminal; the first row is its head.
    static func print(table rows: [[String]]) {
        let rows = rows.map { $0.map(\.printableLines) }
        let lines = TextTable.aligned(rows, width: self.width(of: .output))
        guard let head = lines.first else { return }
        self.print(([self.coloured(head, .bold, on: .output)] + lines.dropFirst()).joined(separator: "\n"))
    }

    /// Prints a line about Tapedeck, which its first word distinguishes from the child's output.
    ///
    /// - Parameters:
    ///   - text: for people.
    ///   - message: for programs, with the fields; the same text by default.
    static func note(
        _ text: String,
        _ level: Logger.Level = .notice,
        message: String? = nil,
        fields: [(String, LogLine.Value)] = []
    ) {
        self.note(level, message ?? text, fields) { [text] }
    }

    /// Prints several lines for people, and one for programs.
    static func note(
        _ level: Logger.Level = .notice,
        _ message: String,
        _ fields: [(String, LogLine.Value)],
        lines: () -> [String]
    ) {
        switch self.format.withLock({ $0 }) {
        case .text:
            let name = self.coloured("tapedeck:", self.colour(of: level), on: .errors)
            let text = lines().map { "\(name) \($0.printableLines)\n" }.joined()
            self.write(text, to: STDERR_FILENO)
        case .json:
            self.line(LogLine(level: level, message: message, logger: "tapedeck", fields: fields))
        }
    }

    private static func colour(of level: Logger.Level) -> Colour {
        switch level {
        case .error, .critical: .red
        case .warning: .yellow
        case .trace, .debug, .info, .notice: .cyan
        }
    }

    /// Shows a line that the next note or ``endProgress()`` removes. Only for a terminal that shows text.
    static func progress(_ text: String) {
        guard self.showsProgress else { return }
        let line = "tapedeck: \(text)"
        let width = self.width(of: .errors) ?? 80
        self.turn.withLock { state in
            guard !state.isAsking else { return }
            self.write(raw: "\r\u{1B}[K" + line.prefix(max(1, width - 1)), to: STDERR_FILENO)
            state.isShown = true
        }
    }

    /// Reads a line from the terminal, while nothing else is drawn.
    static func readAnswer() -> String? {
        self.turn.withLock { $0.isAsking = true }
        defer { self.turn.withLock { $0.isAsking = false } }
        return readLine()
    }

    /// True if a redrawn line is visible.
    static var showsProgress: Bool {
        self.isInteractive(.errors) && self.format.withLock { $0 } == .text
            && ProcessEnvironment.value("TERM") != "dumb"
    }

    /// Removes the line of ``progress(_:)``.
    static func endProgress() {
        self.turn.withLock { self.clearProgress(&$0) }
    }

    private static func clearProgress(_ state: inout ProgressLine) {
        guard state.isShown else { return }
        state.isShown = false
        self.write(raw: "\r\u{1B}[K", to: STDERR_FILENO)
    }

    /// Shows what a library logged.
    fileprivate static func log(_ event: LogEvent, _ metadata: Logger.Metadata, logger: String) {
        let metadata = metadata.sorted { $0.key < $1.key }
        switch self.format.withLock({ $0 }) {
        case .text:
            let details = metadata.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            // A notice needs no prefix.
            let level = event.level == .notice ? "" : "\(event.level): "
            self.note("\(level)\(event.message)" + (details.isEmpty ? "" : " (\(details))"), event.level)
        case .json:
            let fields = metadata.map { ($0.key, LogLine.Value($0.value)) }
            self.line(LogLine(level: event.level, message: "\(event.message)", logger: logger, fields: fields))
        }
    }

    private static func line(_ line: LogLine) {
        self.write(line.json + "\n", to: STDERR_FILENO)
    }

    private struct ProgressLine {
        var isShown = false
        /// True during a question, when the progress line would disturb the answer.
        var isAsking = false
    }

    /// One line at a time, for all threads.
    private static let turn = Locked(ProgressLine())

    /// Writes at once, since a pipe would otherwise show nothing until a buffer is full.
    private static func write(_ text: String, to descriptor: Int32) {
        self.turn.withLock { state in
            self.clearProgress(&state)
            self.write(raw: text, to: descriptor)
        }
    }

    private static func write(raw text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { self.write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = TapedeckPlatform.write(descriptor, rest.baseAddress, rest.count)
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
        // Fields of one line take precedence over those of all lines.
        let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        Terminal.log(event, metadata, logger: self.label)
    }
}
