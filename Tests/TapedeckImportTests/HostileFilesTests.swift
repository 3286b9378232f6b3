import TapedeckCore
import TestShare
import Testing

@testable import TapedeckImport

/// Files that break off or are damaged: each is read or refused, with places that are in the file.
@Suite struct HostileFilesTests {
    private static let files: [[UInt8]] =
        PlayedTests.tables.flatMap { $0.files.map(\.text) }
        + PlayedTests.stubs.flatMap { $0.1.map { Array($0.text.utf8) } }

    private static let texts = [
        "&a ", "*a", "!!binary ", "? ", ": ", "- ", "{", "[", "\"", "'", "|\n", ">-\n", "---\n", "<<: *a\n", "\r",
        "\u{2028}", "999999999999:", "1e999", "{{", "}}", "(", "\\u", "\\", "\0",
    ]

    /// Pieces to put into files: indicators of the formats, and bytes that are not UTF-8.
    private static var tokens: [[UInt8]] {
        let texts = self.texts.map { text in Array(text.utf8) }
        return texts + [[0xFF], [0xED, 0xA0, 0x80], [0xC2]]
    }

    private func read(_ bytes: [UInt8]) {
        do throws(ForeignError) {
            for file in try PackedFile.files(path: "mappings/a.json", bytes: bytes) {
                guard let format = ImportFormats.plain.recognising(file) else { continue }
                let contents = try format.read(file)
                guard contents.position == .line else { continue }
                // The last three end the characters that YAML 1.1 takes for line ends, too.
                let lines = 1 + file.bytes.count { [0x0A, 0x0D, 0x85, 0xA8, 0xA9].contains($0) }
                for entry in contents.exchanges { #expect((1...lines).contains(entry.line)) }
                for entry in contents.stubs { #expect((1...lines).contains(entry.line)) }
            }
        } catch {
            #expect(!error.message.isEmpty)
        }
    }

    @Test func filesThatBreakOff() {
        for file in Self.files {
            for end in some(of: Array(stride(from: 0, to: file.count, by: max(1, file.count / 40)))) {
                self.read(Array(file[..<end]))
            }
        }
    }

    @Test func filesThatAreDamaged() {
        var generator = SeededRandom(seed: 7)
        let tokens = Self.tokens
        for file in Self.files where !file.isEmpty {
            for _ in 0..<rounds(15) {
                var bytes = file
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: 0..<bytes.count, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                    case 1: bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: place)
                    default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                    }
                }
                self.read(bytes)
            }
        }
    }
}
