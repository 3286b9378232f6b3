import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckImport

/// A small file of another tool with one quirk, and what must be played of it.
struct RecordedFile: Sendable, CustomTestStringConvertible {
    /// One answer, or the reason why there is none.
    enum Outcome: Sendable {
        case plays(Answer)
        case leftOut(line: Int, because: String)
    }

    /// The response that a client gets.
    struct Answer: Sendable {
        var request = "GET http://a.test/"
        var sent: [UInt8]?
        var status = 200
        var reason: String?
        var body: [UInt8] = []
        /// Fields that must be there, in this order among each other.
        var fields: [String] = []
        /// Names of fields that must not be there.
        var without: [String] = []
        var latency: Int?
        var time: String?
        /// True if the body is sent with the codings that the fields name, and `body` is decoded.
        var isCoded = false
        /// A part of a note that says what is played otherwise.
        var note: String?
    }

    let quirk: String
    let text: [UInt8]
    let outcomes: [Outcome]

    init(_ quirk: String, _ text: String, _ outcomes: Outcome...) {
        self.quirk = quirk
        self.text = Array(text.utf8)
        self.outcomes = outcomes
    }

    var testDescription: String { self.quirk }

    /// Reads the file as what it is recognised for, and holds every entry against what must be.
    func check(_ format: RecordingFormat, side: [String: [UInt8]] = [:]) throws {
        let document = try #require(try ForeignNode.documents(of: self.text).first)
        #expect(RecordingFormat(recognising: document) == format)
        let entries = format.entries(of: document) { side[$0] }
        try #require(entries.count == self.outcomes.count)
        for (entry, outcome) in zip(entries, self.outcomes) {
            switch (entry.result, outcome) {
            case (.success(let exchange), .plays(let answer)):
                answer.check(exchange)
            case (.failure(let leftOut), .leftOut(let line, let reason)):
                #expect(leftOut.line == line)
                #expect(leftOut.reason.contains(reason), "\(leftOut.reason)")
            case (.success(let exchange), .leftOut):
                Issue.record("\(exchange.method) \(exchange.url) is played")
            case (.failure(let leftOut), .plays):
                Issue.record("left out: \(leftOut.reason)")
            }
        }
    }
}

extension RecordedFile.Answer {
    func check(_ exchange: ForeignExchange) {
        #expect("\(exchange.method) \(exchange.url)" == self.request)
        if let sent = self.sent { #expect(exchange.requestBody == sent) }
        #expect(exchange.status == self.status)
        if let reason = self.reason { #expect(exchange.reason == reason) }
        let body = self.isCoded ? ContentCoder.decoded(exchange.body, exchange.headers, limit: 1 << 20) : exchange.body
        #expect(body == self.body, "\(String(decoding: body, as: UTF8.self))")
        if self.isCoded { #expect(exchange.body != self.body) }
        let names = Set(self.fields.map { $0.prefix { $0 != ":" }.lowercased() })
        let lines = exchange.headers.filter { names.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
        #expect(lines == self.fields)
        for name in self.without { #expect(!exchange.headers.contains(named: name)) }
        if let latency = self.latency { #expect(exchange.latency == latency) }
        if let time = self.time { #expect(exchange.time?.rfc3339 == time) }
        if let note = self.note { #expect(exchange.notes.contains { $0.contains(note) }, "\(exchange.notes)") }
    }
}

extension RecordedFile.Outcome {
    static func plays(
        _ request: String = "GET http://a.test/",
        _ status: Int = 200,
        _ body: String = "",
        sent: String? = nil,
        reason: String? = nil,
        fields: [String] = [],
        without: [String] = [],
        isCoded: Bool = false,
        latency: Int? = nil,
        time: String? = nil,
        note: String? = nil
    ) -> Self {
        self.plays(
            bytes: Array(body.utf8),
            request,
            status,
            sent: sent.map { Array($0.utf8) },
            reason: reason,
            fields: fields,
            without: without,
            isCoded: isCoded,
            latency: latency,
            time: time,
            note: note
        )
    }

    static func plays(
        bytes: [UInt8],
        _ request: String = "GET http://a.test/",
        _ status: Int = 200,
        sent: [UInt8]? = nil,
        reason: String? = nil,
        fields: [String] = [],
        without: [String] = [],
        isCoded: Bool = false,
        latency: Int? = nil,
        time: String? = nil,
        note: String? = nil
    ) -> Self {
        .plays(
            RecordedFile.Answer(
                request: request,
                sent: sent,
                status: status,
                reason: reason,
                body: bytes,
                fields: fields,
                without: without,
                latency: latency,
                time: time,
                isCoded: isCoded,
                note: note
            )
        )
    }
}
