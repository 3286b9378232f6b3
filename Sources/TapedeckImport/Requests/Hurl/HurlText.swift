import TapedeckCore

/// A text of a Hurl file: pieces of text and the names of placeholders.
struct HurlText {
    enum Piece: Equatable {
        case text([UInt8])
        case placeholder(String)
    }

    private(set) var pieces: [Piece] = []

    /// Adds a byte of text.
    mutating func append(_ byte: UInt8) {
        self.append(bytes: [byte])
    }

    mutating func append(bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        if case .text(var text) = self.pieces.last {
            self.pieces[self.pieces.count - 1] = .text([])
            text += bytes
            self.pieces[self.pieces.count - 1] = .text(text)
        } else {
            self.pieces.append(.text(Array(bytes)))
        }
    }

    mutating func append(placeholder name: String) {
        self.pieces.append(.placeholder(name))
    }

    /// True if a text within has white space.
    var hasSpaces: Bool {
        self.pieces.contains { piece in
            guard case .text(let bytes) = piece else { return false }
            return bytes.contains { $0 <= ASCII.space }
        }
    }

    /// Removes spaces from the end.
    mutating func trimEnd() {
        guard case .text(var text) = self.pieces.last else { return }
        while text.last == ASCII.space || text.last == ASCII.tab { text.removeLast() }
        self.pieces.removeLast()
        self.append(bytes: text)
    }
}

/// The variables of a Hurl file, at one entry of it.
struct HurlVariables {
    private var given: [String: String] = [:]
    private var values: [String: String] = [:]
    private var captured: Set<String> = []

    /// Gives a variable a value that nothing in the file changes.
    mutating func give(_ name: String, _ value: String) {
        self.given[name] = value
    }

    /// Defines a variable from this entry on.
    mutating func define(_ name: String, _ value: String) {
        self.values[name] = value
        self.captured.remove(name)
    }

    /// Takes a variable's value away, because an answer gives it from here on.
    mutating func capture(_ name: String) {
        self.values[name] = nil
        self.captured.insert(name)
    }

    /// Returns the text with the values of variables in their places.
    ///
    /// - Parameters:
    ///   - line: the line of the text, for errors.
    ///   - escaping: changes a value for the text around it.
    func text(
        _ text: HurlText,
        line: Int,
        escaping: (String) -> String = { $0 }
    ) throws(LeftOut) -> String {
        var output: [UInt8] = []
        for piece in text.pieces {
            switch piece {
            case .text(let bytes): output += bytes
            case .placeholder(let name): output += Array(escaping(try self.value(name, line: line)).utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the value of a placeholder.
    func value(_ expression: String, line: Int) throws(LeftOut) -> String {
        let name = RequestText.trimmed(expression)
        if let value = self.given[name] ?? self.values[name] { return value }
        let reason: UnfilledPlaceholder =
            switch name {
            case "newUuid", "newDate": .dynamic(name)
            case _ where name.hasPrefix("getEnv"):
                UnfilledPlaceholder("'{{\(name.prefix(80))}}' is a variable of the environment")
            case _ where self.captured.contains(name):
                UnfilledPlaceholder("'{{\(name.prefix(80))}}' is captured from the answer to another request")
            default: .undefined(name)
            }
        throw LeftOut(reason.reason, line: line)
    }
}
