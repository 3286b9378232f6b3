import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckImport

/// A stub of another tool, and the response set that it becomes.
struct StubCase: Sendable, CustomTestStringConvertible {
    let quirk: String
    let text: String
    /// Lines that the cassette has, without the spaces before them.
    var says: [String] = []
    /// The body that plays.
    var body: [UInt8]?
    /// A part of the reason for which it is left out.
    var leftOut: String?
    /// Requests that it answers: method and URL, then lines of header fields, then an empty line and the body.
    var answers: [String] = []
    /// Requests that it does not answer.
    var ignores: [String] = []
    /// A part of a note that says what is played otherwise.
    var note: String?

    var testDescription: String { self.quirk }

    func check(as name: String) throws {
        let sides: [String: [UInt8]] = ["__files/b.json": [1, 2, 255], "b.json": [1, 2, 255]]
        let file = ImportFile(path: "file.json", bytes: Array(self.text.utf8)) { sides[$0] }
        let format = try #require(ImportFormats.plain.recognising(file))
        #expect(format.name == name)
        let contents = try format.read(file)
        try #require(contents.stubs.count == 1)
        switch contents.stubs[0].result {
        case .failure(let error):
            #expect(error.reason.contains(self.leftOut ?? "plays"), "\(error.reason)")
        case .success(let stub):
            #expect(self.leftOut == nil)
            let text = String(
                decoding: CassetteWriter.text(
                    of: Cassette(name: "stub", state: contents.state, responseSets: [stub.set])
                ),
                as: UTF8.self
            )
            let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
            for line in self.says { #expect(lines.contains { $0 == line }, "\(line) is not in\n\(text)") }
            let read = CassetteReader.read(Array(text.utf8), name: "stub", path: "stub.yaml")
            #expect(!read.hasErrors, "\(read.diagnostics)")
            try self.checkRequests(read.cassette)
            if let note = self.note { #expect(stub.notes.contains { $0.contains(note) }, "\(stub.notes)") }
            guard let body = self.body else { return }
            guard case .inline(let played) = stub.set.variants[0].behaviour.allTakes[0].body else {
                Issue.record("there is no body")
                return
            }
            #expect(played.decoded == body, "\(String(decoding: played.decoded, as: UTF8.self))")
        }
    }

    /// Asks a cassette for the requests that the stub answers, and for those that it does not.
    func checkRequests(_ cassette: Cassette) throws {
        let text = String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self)
        for request in self.answers { #expect(try Self.plays(cassette, request), "\(request)\n\(text)") }
        for request in self.ignores { #expect(try !Self.plays(cassette, request), "\(request)\n\(text)") }
    }

    /// True if a cassette answers a request.
    private static func plays(_ cassette: Cassette, _ request: String) throws -> Bool {
        let parts = request.split(separator: "\n\n", maxSplits: 1).map(String.init)
        let lines = parts[0].split(separator: "\n").map(String.init)
        let words = lines[0].split(separator: " ", maxSplits: 1).map(String.init)
        let url = try #require(AbsoluteURL(words[1]))
        let fields = lines.dropFirst().map { line in
            let pair = line.split(separator: ": ", maxSplits: 1).map(String.init)
            return HeaderField(pair[0], pair[1])
        }
        let body = parts.count > 1 ? Array(parts[1].utf8) : []
        var state = SessionState(name: "s", mode: .replay, tape: Tape([cassette]))
        let matchRequest = MatchRequest(
            RequestKey(method: words[0], url: url),
            fields: fields,
            body: ObservedBody(bytes: body, sha256: "")
        )
        guard case .decided(.play) = state.answer(matchRequest) else { return false }
        return true
    }
}
