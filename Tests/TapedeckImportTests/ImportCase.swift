import TapedeckCore
import Testing

@testable import TapedeckImport

extension RecordedFile {
    /// Reads the file in the format that it is recognised for, and holds every entry against what must be.
    func check(as name: String, side: [String: [UInt8]] = [:]) throws {
        let file = ImportFile(path: "file", bytes: self.text) { side[$0] }
        let format = try #require(ImportFormats.plain.recognising(file))
        #expect(format.name == name)
        let entries = try format.read(file).exchanges
        try #require(entries.count == self.outcomes.count)
        for (entry, outcome) in zip(entries, self.outcomes) {
            switch (entry.result, outcome) {
            case (.success(let exchange), .plays(let answer)): answer.check(exchange)
            case (.failure(let leftOut), .leftOut(let line, let reason)):
                #expect(leftOut.line == line)
                #expect(leftOut.reason.contains(reason), "\(leftOut.reason)")
            case (.success(let exchange), .leftOut): Issue.record("\(exchange.method) \(exchange.url) is played")
            case (.failure(let leftOut), .plays): Issue.record("left out: \(leftOut.reason)")
            }
        }
    }
}

extension RecordedFile.Outcome {
    static func plays(
        body: String = "",
        status: Int = 200,
        fields: [String] = [],
        without: [String] = [],
        isCoded: Bool = false,
        latency: Int? = nil,
        time: String? = nil,
        note: String? = nil
    ) -> Self {
        .plays(
            "GET http://a.test/",
            status,
            body,
            fields: fields,
            without: without,
            isCoded: isCoded,
            latency: latency,
            time: time,
            note: note
        )
    }
}
