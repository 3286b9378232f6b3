import TapedeckCore
import Testing

@testable import TapedeckCassettes

@Suite struct TarTests {
    /// The entries of an archive with their contents.
    static func read(_ archive: [UInt8], inPiecesOf size: Int = .max) throws -> [(entry: TarEntry, content: [UInt8])] {
        var reader = TarReader()
        var entries: [(entry: TarEntry, content: [UInt8])] = []
        var rest = archive[...]
        while !rest.isEmpty {
            try Array(rest.prefix(size)).withUnsafeBytes { piece in
                try reader.receive(piece) { event in
                    switch event {
                    case .entry(let entry): entries.append((entry, []))
                    case .content(let bytes): entries[entries.count - 1].content += bytes
                    case .endOfEntry: break
                    }
                }
            }
            rest = rest.dropFirst(size)
        }
        try reader.finish()
        return entries
    }

    static func archive(_ entries: [(TarEntry, [UInt8])]) -> [UInt8] {
        entries.flatMap { entry, content in
            TarWriter.header(entry) + content + TarWriter.padding(content.count)
        } + TarWriter.end
    }

    static func entry(_ path: String, _ text: String) -> (TarEntry, [UInt8]) {
        (TarEntry(path: path, size: text.utf8.count, modified: 1_700_000_000), Array(text.utf8))
    }

    @Test(arguments: [1, 7, 511, 512, 513, 4_096])
    func `written archives are read, in pieces of any size`(_ size: Int) throws {
        let long = String(repeating: "long/", count: 60) + "name.yaml"
        var asked = Self.entry("asked.yaml", "x")
        asked.0.precondition = "absent"
        let entries = [
            Self.entry("a.yaml", "one"), Self.entry("empty", ""),
            Self.entry(long, String(repeating: "y", count: 1_024)),
            Self.entry("müll/ü.bin", "z"), asked,
            Self.entry(String(repeating: "d", count: 120) + "/" + String(repeating: "n", count: 90), "split"),
        ]
        let read = try Self.read(Self.archive(entries), inPiecesOf: size)
        #expect(read.map(\.entry) == entries.map(\.0))
        #expect(read.map(\.content) == entries.map(\.1))
    }

    @Test func `a truncated archive is refused`() throws {
        let whole = Self.archive([Self.entry("a.yaml", String(repeating: "x", count: 2_000))])
        for size in [1, 512, 600, 2_000, 2_560] {
            #expect(throws: ArchiveError.self, "\(size)") { try Self.read(Array(whole.prefix(size))) }
        }
    }

    @Test func `data after an archive is noticed, and padding is not`() throws {
        let whole = Self.archive([Self.entry("a.yaml", "x")])
        #expect(try Self.read(whole + [UInt8](repeating: 0, count: 8_192)).count == 1)
        let error = try #require(throws: ArchiveError.self) { try Self.read(whole + whole) }
        #expect(error.description.contains("goes on behind its end"))
    }

    @Test func `a global pax header may contain harmless records, but not change an entry's end`() throws {
        func global(_ records: String) -> [UInt8] {
            var header = TarWriter.header(TarEntry(path: "g", size: records.utf8.count))
            header[156] = UInt8(ascii: "g")
            return Self.summed(header) + Array(records.utf8) + TarWriter.padding(records.utf8.count)
        }
        let own = Self.archive([Self.entry("a.yaml", "x")])
        #expect(try Self.read(global("16 comment=free\n") + own).map(\.entry.path) == ["a.yaml"])
        for records in ["10 size=0\n", "10 path=b\n", "22 GNU.sparse.major=1\n"] {
            #expect(throws: ArchiveError.self, "\(records)") { try Self.read(global(records) + own) }
        }
    }

    @Test func `a time out of range becomes a valid one`() throws {
        for (text, time) in [("9223372036854775807", TarEntry.latest), ("-9223372036854775808", 0), ("12.5", 12)] {
            let record = " mtime=\(text)\n"
            let length = record.utf8.count + 2
            var pax = TarWriter.header(TarEntry(path: "x", size: length))
            pax[156] = UInt8(ascii: "x")
            // The sum is of the type too.
            pax = Self.summed(pax) + Array("\(length)\(record)".utf8) + TarWriter.padding(length)
            let read = try Self.read(pax + Self.archive([Self.entry("a.yaml", "x")]))
            #expect(read.map(\.entry.modified) == [time])
        }
    }

    /// A header with the sum of what it has now.
    static func summed(_ header: [UInt8]) -> [UInt8] {
        let sum = header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
        let digits = Array(String(sum, radix: 8).utf8)
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 6 - digits.count)
        return Array(header[..<148]) + zeros + digits + [0, 0x20] + Array(header[156...])
    }

    @Test func `a damaged header is noticed, and a file that is not an archive is reported as such`() throws {
        var archive = Self.archive([Self.entry("a.yaml", "x"), Self.entry("b.yaml", "y")])
        archive[1_024 + 3] ^= 1
        let damaged = try #require(throws: ArchiveError.self) { try Self.read(archive) }
        #expect(damaged.description.contains("damaged"))
        let text = try #require(throws: ArchiveError.self) { try Self.read([UInt8](repeating: 0x61, count: 512)) }
        #expect(text.description.contains("no tar archive"))
    }
}
