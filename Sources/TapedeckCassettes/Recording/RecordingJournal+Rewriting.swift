package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// Changes to a written journal: secrets that became known later.
extension RecordingJournal {
    /// Searches the records of the last bytes again. A changed record is added again, and only then is the old one made
    /// void and wiped: a kill between the two leaves both, of which the later one counts.
    ///
    /// - Parameters:
    ///   - note: called with the number of bytes that each change adds.
    ///   - change: returns the changed exchange, or `nil` to keep it.
    /// - Throws: `FileError` if the journal cannot be read or written. No content is lost.
    package func rewrite(
        last limit: Int,
        note: (Int) -> Void = { _ in },
        _ change: (RecordedExchange) -> RecordedExchange?
    ) throws {
        let records = self.window.withLock { window in
            Array(window.records.drop { $0.start < window.end - limit })
        }
        for record in records {
            let bytes = try self.file.read(at: record.start + 8, count: record.count)
            guard let exchange = JournalRecordReader.decode(bytes[...], version: Self.version),
                let changed = change(exchange)
            else { continue }
            try self.append(changed, mark: Self.replacesMark, admit: note)
            // In this order, so that a reader at the same time, or after a kill, finds every record whole or void.
            let length = (UInt32(record.count) | Self.voidMark).littleEndian
            try self.file.write(withUnsafeBytes(of: length) { Array($0) }, at: record.start)
            try self.file.write([UInt8](repeating: 0, count: record.count), at: record.start + 8)
        }
    }
}

extension FileDescriptor {
    func read(at offset: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = bytes.withUnsafeMutableBytes { bytes in
                pread(self.number, bytes.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw FileError("read", self.path) }
            done += result
        }
        return bytes
    }

    fileprivate func write(_ bytes: [UInt8], at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeBytes { bytes in
                pwrite(self.number, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw FileError("write", self.path) }
            done += result
        }
    }
}
