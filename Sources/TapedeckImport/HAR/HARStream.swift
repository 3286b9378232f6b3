import TapedeckCore

/// Reads an HTTP Archive that is too large to be in memory as a whole, entry by entry.
package struct HARStream {
    /// Gives the next piece of a file; none at its end.
    package typealias Pieces = () throws -> [UInt8]

    /// True if each entry begins on a line of its own.
    package let hasLines: Bool
    private let reader: HAREntry

    /// Scans a file. `nil` if it is not an archive, has bodies in the forms of Polly.js, or is invalid: the reader of
    /// whole files reports the error.
    ///
    /// - Throws: errors of `pieces`.
    package init?(_ pieces: Pieces, side: @escaping ImportFile.Sides) throws {
        var scanner = HARScanner()
        var hasBody = false
        var line = 0
        var hasLines = true
        do {
            while case let piece = try pieces(), !piece.isEmpty {
                try scanner.scan(piece) { entry in
                    hasLines = hasLines && entry.line > line
                    line = entry.line
                    guard !hasBody else { return }
                    hasBody = try entry.isTooLarge || HARFile.holdsBody(Self.node(entry))
                }
            }
        } catch is ForeignError {
            return nil
        }
        guard let document = try? ForeignNode.documents(of: scanner.rest).first, line > 0,
            let log = HARFile.log(of: document) ?? (document["entries"]?.isList == true ? document : nil),
            !PollyRecording.isRecording(log)
        else { return nil }
        let tool = hasBody ? nil : log["creator"]?["name"]?.text ?? "unknown"
        self.hasLines = hasLines
        self.reader = HAREntry(side: side, holdsNoBodies: tool, isPolly: false)
    }

    /// Reads the entries, in the order of the file.
    ///
    /// - Throws: what `pieces` and `body` throw.
    package func read(_ pieces: Pieces, _ body: (ForeignEntry) throws -> Void) throws {
        var scanner = HARScanner()
        while case let piece = try pieces(), !piece.isEmpty {
            try scanner.scan(piece) { entry in try body(self.entry(entry)) }
        }
    }

    private func entry(_ entry: HARScanner.Entry) -> ForeignEntry {
        guard !entry.isTooLarge else {
            let reason = "it is larger than \(HARScanner.entryLimit >> 20) MiB"
            return ForeignEntry(line: entry.line, result: .failure(LeftOut(reason, line: entry.line)))
        }
        do throws(ForeignError) {
            let node = try Self.node(entry)
            let result = ForeignEntry.reading(node) { (node) throws(LeftOut) in try self.reader.exchange(node) }
            return ForeignEntry(line: entry.line, result: result.result.at(line: entry.line))
        } catch {
            let left = LeftOut("it cannot be read: \(error.message)", line: entry.line + error.line - 1)
            return ForeignEntry(line: entry.line, result: .failure(left))
        }
    }

    private static func node(_ entry: HARScanner.Entry) throws(ForeignError) -> ForeignNode {
        guard let node = try ForeignNode.documents(of: entry.bytes).first else {
            throw ForeignError(message: "it is empty", line: 1, column: 1)
        }
        return node
    }
}

extension Result<ForeignExchange, LeftOut> {
    /// The result of an entry that was read by itself, with the line that a reason has in the whole file.
    fileprivate func at(line: Int) -> Self {
        self.mapError { LeftOut($0.reason, line: line + $0.line - 1) }
    }
}
