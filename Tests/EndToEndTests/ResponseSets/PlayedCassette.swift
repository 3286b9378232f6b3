import Foundation
import Testing

/// A cassette that a test writes, and a deck that plays it.
struct PlayedCassette {
    let folder: TestFolder
    let deck: TapedeckProcess

    /// - Parameter options: the options after `tapedeck replay x`.
    init(_ cassette: String, in folder: TestFolder? = nil, options: [String]) throws {
        self.folder = try folder ?? TestFolder()
        try self.folder.write(cassette, to: "cassettes/x.yaml")
        self.deck = try TapedeckProcess(self.folder, ["replay", "x"] + options)
    }

    init(_ cassette: String, in folder: TestFolder? = nil, _ options: String...) throws {
        try self.init(cassette, in: folder, options: options)
    }

    /// A cassette of response sets that each answer with their name as text, of their names and `request`s.
    static func naming(_ sets: (name: String, request: String)...) -> String {
        self.naming(sets)
    }

    static func naming(_ sets: [(name: String, request: String)]) -> String {
        let sets = sets.map { name, request in
            """
              - name: \(name)
                request: \(request)
                variants:
                  - name: ok
                    takes: [{ status: 200, body: { text: \(name) } }]

            """
        }
        return "tapedeck: 1\nresponseSets:\n" + sets.joined()
    }

    /// A cassette of one response set, `x` at `http://a.example/x`, whose variants and further keys are given as YAML.
    static func variants(_ variants: String, set: String = "") -> String {
        let lines = variants.split(separator: "\n").map { "      \($0)\n" }.joined()
        return "tapedeck: 1\nresponseSets:\n  - name: x\n    request: { url: http://a.example/x }\n"
            + set.split(separator: "\n").map { "    \($0)\n" }.joined() + "    variants:\n\(lines)"
    }

    static let url = "http://a.example/x"

    // MARK: Asking

    /// Returns curl's result for one request: the body of a 200, another status, or the exit code of curl.
    func ask(_ arguments: String...) throws -> String {
        try self.ask(arguments)
    }

    func ask(_ arguments: [String]) throws -> String {
        let result = try self.folder.run(Curl.through(self.deck) + ["-w", "\n%{http_code}"] + arguments)
        guard result.exitCode == 0 else { return "curl \(result.exitCode)" }
        let text = result.outputText
        let end = text.lastIndex(of: "\n") ?? text.startIndex
        let status = text[end...].dropFirst()
        return status == "200" ? String(text[..<end]) : String(status)
    }

    /// Returns the results for some URLs, one after the other, each over a separate connection.
    func ask(each urls: [String], _ arguments: String...) throws -> [String] {
        let written = ["-H", "Connection: close", "-w", "\n%{http_code} %{exitcode}\n\u{1E}"]
        let result = try self.folder.run(Curl.through(self.deck) + written + arguments + urls)
        return result.outputText.split(separator: "\u{1E}").map { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let ending = lines.last?.split(separator: " ") ?? []
            guard ending.last == "0" else { return "curl \(ending.last ?? "")" }
            return ending.first == "200" ? lines.dropLast().joined(separator: "\n") : String(ending.first ?? "")
        }
    }

    /// Returns the results of several requests for one URL.
    func ask(times count: Int, _ url: String = Self.url) throws -> [String] {
        try self.ask(each: Array(repeating: url, count: count))
    }

    /// The head of the answer and its body.
    func response(_ arguments: String...) throws -> RawConnection.Response {
        let result = try self.folder.run(Curl.through(self.deck) + ["-i"] + arguments)
        #expect(result.exitCode == 0, "\(result.errorText)")
        let parts = result.outputText.components(separatedBy: "\r\n\r\n")
        let body = parts.dropFirst().joined(separator: "\r\n\r\n")
        return RawConnection.Response(head: (parts.first ?? "") + "\r\n\r\n", body: Array(body.utf8))
    }

    /// Returns the final output.
    @discardableResult
    func stop() throws -> String {
        try self.deck.stop().errorText
    }
}
