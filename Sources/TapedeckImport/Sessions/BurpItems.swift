import TapedeckCore
import TapedeckJSON

/// Reads items that Burp Suite saves as XML: requests and answers as raw messages, in base64 or as text.
package struct BurpItems: ImportFormat {
    package let name = "burp"

    /// A child of an item.
    private struct Part {
        var bytes: [UInt8] = []
        var isBase64 = false
    }

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let first = file.bytes.first(where: { $0 > 0x20 }), first == UInt8(ascii: "<") || first == 0xEF else {
            return false
        }
        var scanner = MarkupScanner(Array(file.bytes.prefix(64 << 10)))
        while let token = try? scanner.next() {
            if case .start(let tag) = token { return tag.name == "items" && tag["burpVersion"] != nil }
        }
        return false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        var result = ImportedFile()
        var scanner = MarkupScanner(file.bytes)
        var isInItems = false
        while true {
            var line = scanner.line
            do throws(ForeignError) {
                guard let token = try scanner.next() else { break }
                guard case .start(let tag) = token else { continue }
                line = tag.line
                if tag.name == "items" { isInItems = true }
                guard isInItems else { throw Self.noItems(line: line) }
                guard tag.name == "item" else { continue }
                let parts = tag.isEmpty ? [:] : try Self.parts(&scanner)
                result.append(line: line) { () throws(LeftOut) in try Self.entry(parts, line: line) }
            } catch {
                guard isInItems else { throw error }
                let left = LeftOut("it cannot be read: \(error.message)", line: error.line)
                result.exchanges.append(ForeignEntry(line: line, result: .failure(left)))
                guard scanner.skip(toTag: "item") else { return result }
            }
        }
        guard isInItems else { throw Self.noItems(line: 1) }
        return result
    }

    private static func noItems(line: Int) -> ForeignError {
        ForeignError(message: "it has no <items>, as Burp Suite saves them", line: line, column: 1)
    }

    // MARK: Items

    /// Reads the children of an item, to its end.
    private static func parts(_ scanner: inout MarkupScanner) throws(ForeignError) -> [String: Part] {
        var parts: [String: Part] = [:]
        var open: [String] = []
        var before = scanner
        while let token = try scanner.next() {
            switch token {
            case .start(let tag):
                guard tag.name != "item" else {
                    // The next item is read by itself.
                    scanner = before
                    throw ForeignError(message: "its end is missing", line: tag.line, column: 1)
                }
                if open.isEmpty { parts[tag.name] = Part(isBase64: tag["base64"]?.lowercased() == "true") }
                if !tag.isEmpty { open.append(tag.name) }
            case .text(let bytes):
                if open.count == 1 { parts[open[0]]?.bytes += bytes }
            case .end(let name):
                if open.isEmpty, name == "item" { return parts }
                guard open.popLast() == name else {
                    throw ForeignError(message: "'</\(name.prefix(40))>' ends nothing", line: scanner.line, column: 1)
                }
            }
            before = scanner
        }
        throw ForeignError(message: "its end is missing", line: scanner.line, column: 1)
    }

    private static func text(_ part: Part?) -> String {
        guard let part else { return "" }
        let text = ByteText.string(from: part.bytes).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text == "null" ? "" : text
    }

    private static func entry(_ parts: [String: Part], line: Int) throws(LeftOut) -> SessionEntry {
        guard let bytes = try self.message(parts["request"], "request", length: nil, line: line), !bytes.isEmpty else {
            throw LeftOut("it has no request", line: line)
        }
        let request = try RawRequest(bytes, line: line)
        guard request.method.uppercased() != "CONNECT" else { throw LeftOut(SessionEntry.tunnel, line: line) }
        let url = self.url(parts)
        guard !url.contains(" ") else { throw LeftOut("'\(url.prefix(200))' is no URL", line: line) }
        var exchange = ForeignExchange(request, url: url)
        exchange.time = self.time(self.text(parts["time"]))
        let length = Int(self.text(parts["responselength"]))
        let response = try self.message(parts["response"], "answer", length: length, line: line)
        guard let response, response.contains(where: { $0 > 0x20 }) else {
            return try SessionEntry.unanswered(exchange, line: line)
        }
        let answer = try RawResponse(response, method: request.method, line: line)
        guard answer.status != 101 else { throw LeftOut(SessionEntry.webSocket, line: line) }
        exchange.take(answer)
        return .exchange(exchange)
    }

    private static func url(_ parts: [String: Part]) -> String {
        let url = self.text(parts["url"])
        guard url.isEmpty else { return url }
        let scheme = self.text(parts["protocol"])
        let port = self.text(parts["port"])
        let isUsual = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\(self.text(parts["host"]))\(isUsual ? "" : ":\(port)")\(self.text(parts["path"]))"
    }

    /// The bytes of a message; `nil` if the item has none.
    ///
    /// - Parameter length: their number, as far as Burp says it.
    private static func message(
        _ part: Part?,
        _ what: String,
        length: Int?,
        line: Int
    ) throws(LeftOut) -> [UInt8]? {
        guard let part, !part.bytes.isEmpty else { return nil }
        guard !part.isBase64 else {
            guard let bytes = part.bytes.withUnsafeBytes({ Base64.decode($0) }) else {
                throw LeftOut("its \(what) is no base64", line: line)
            }
            return bytes
        }
        return length.flatMap { self.restored(part.bytes, length: $0) } ?? part.bytes
    }

    /// The bytes of a message whose text was changed on the way, if the length that Burp gives proves it; else `nil`.
    private static func restored(_ bytes: [UInt8], length: Int) -> [UInt8]? {
        if length < bytes.count, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.count == length
        {
            return ForeignText.encode(text, as: "iso-8859-1")
        }
        // An editor, or Git, made line feeds of all line ends.
        let ends = bytes.count { $0 == ASCII.lineFeed }
        guard length == bytes.count + ends, ends > 0, !bytes.contains(ASCII.carriageReturn) else { return nil }
        return bytes.flatMap { $0 == ASCII.lineFeed ? [ASCII.carriageReturn, ASCII.lineFeed] : [$0] }
    }

    /// The time of an item, such as `Sat Sep 30 20:11:32 UTC 2023`; `nil` for other zones, whose names have several meanings.
    private static func time(_ text: String) -> Instant? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, ["UTC", "GMT", "Z"].contains(parts[4]) else { return nil }
        return RecordedTime("\(parts[0]), \(parts[2]) \(parts[1]) \(parts[5]) \(parts[3]) GMT")?.instant
    }
}
