import Foundation
import Testing

/// The control API of a deck, asked with curl.
struct ControlAPI {
    let folder: TestFolder
    let url: String

    struct Answer {
        var status: Int
        var body: Data
        var head: String

        var text: String { String(decoding: self.body, as: UTF8.self) }

        /// The body, which must be an object.
        func object() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: self.body) as? [String: Any], "\(self.text)")
        }
    }

    /// Sends a request and returns any answer.
    func ask(_ method: String, _ path: String, _ json: String? = nil, headers: [String] = []) throws -> Answer {
        var command = ["curl", "-q", "-sS", "-i", "--max-time", "60", "--noproxy", "*", "-X", method, self.url + path]
        if let json { command += ["-H", "Content-Type: application/json", "--data-binary", json] }
        for header in headers { command += ["-H", header] }
        let result = try self.folder.run(command)
        try #require(result.exitCode == 0, "\(result.errorText)")
        let end = try #require(result.output.firstRange(of: Data("\r\n\r\n".utf8)))
        let head = String(decoding: result.output[..<end.lowerBound], as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Answer(status: try #require(status), body: Data(result.output[end.upperBound...]), head: head)
    }

    /// Asks for what must work, and gives the object that comes.
    @discardableResult
    func get(_ method: String, _ path: String, _ json: String? = nil) throws -> [String: Any] {
        let answer = try self.ask(method, path, json)
        try #require((200..<300).contains(answer.status), "\(method) \(path): \(answer.status) \(answer.text)")
        return answer.body.isEmpty ? [:] : try answer.object()
    }

    /// Makes a session and gives its id and token.
    func session(_ json: String = "{}") throws -> (id: String, token: String) {
        let made = try self.get("POST", "/v1/sessions", json)
        return (try #require(made["id"] as? String), try #require(made["token"] as? String))
    }
}

extension TestFolder {
    func control(_ deck: TapedeckProcess) throws -> ControlAPI {
        ControlAPI(folder: self, url: try #require(deck.controlURL))
    }
}
