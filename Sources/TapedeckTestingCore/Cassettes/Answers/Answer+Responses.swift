public import Foundation
import TapedeckJSON

// MARK: Responses

extension Tapedeck.Answer {
    /// A response without a body.
    ///
    /// - Parameters:
    ///   - status: the status code (RFC 9110 section 15).
    ///   - reason: the phrase behind the status; the usual one unless given.
    ///   - headers: in their order; a name may come several times.
    public static func status(
        _ status: Int,
        reason: String? = nil,
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        var take = StaticTake(status: status, headers: headers)
        take.reason = reason
        return Self(take)
    }

    /// 204, without a body.
    public static func empty(headers: KeyValuePairs<String, String> = [:]) -> Self {
        self.status(204, headers: headers)
    }

    /// A response with JSON, which is sent without white space.
    ///
    /// ```swift
    /// .json(["id": 7, "tags": ["a", "b"]], status: 201)
    /// ```
    ///
    /// - Parameters:
    ///   - json: the body. A string literal is a JSON string; for a JSON text use
    ///     ``json(text:status:contentType:headers:)``.
    ///   - status: the status code.
    ///   - contentType: not used if `headers` have one; `nil` for none.
    ///   - headers: in their order; a name may be repeated.
    public static func json(
        _ json: Tapedeck.JSON,
        status: Int = 200,
        contentType: String? = "application/json",
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        let hasLines = !(json.array ?? []).isEmpty || !(json.members ?? []).isEmpty
        let body: Tapedeck.JSON =
            hasLines
            ? ["json": Tapedeck.JSON(json.prettyText + "\n"), "layout": "compact"] : ["json": Tapedeck.JSON(json.text)]
        return Self(StaticTake(status: status, contentType: contentType, headers: headers, body: body))
    }

    /// A response with an `Encodable` value as JSON, as ``Tapedeck/JSON/init(encoding:with:)`` makes it.
    ///
    /// ```swift
    /// try .json(encoding: User(name: "Ada"))
    /// ```
    ///
    /// - Throws: what the encoder throws.
    public static func json(
        encoding value: some Encodable,
        with encoder: JSONEncoder? = nil,
        status: Int = 200,
        contentType: String? = "application/json",
        headers: KeyValuePairs<String, String> = [:]
    ) throws -> Self {
        let json = try Tapedeck.JSON(encoding: value, with: encoder)
        return self.json(json, status: status, contentType: contentType, headers: headers)
    }

    /// A response with JSON just as it is written, or with a template of JSON.
    ///
    /// ```swift
    /// .json(text: #"{"count": {{json.count}}}"#).template()
    /// ```
    public static func json(
        text: String,
        status: Int = 200,
        contentType: String? = "application/json",
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        Self(
            StaticTake(status: status, contentType: contentType, headers: headers, body: ["json": Tapedeck.JSON(text)])
        )
    }

    /// A response with a text, in UTF-8.
    ///
    /// - Parameters:
    ///   - text: the body.
    ///   - status: the status code.
    ///   - contentType: not used where `headers` have one; `nil` for none.
    ///   - headers: in their order; a name may come several times.
    public static func text(
        _ text: String,
        status: Int = 200,
        contentType: String? = "text/plain; charset=utf-8",
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        Self(
            StaticTake(status: status, contentType: contentType, headers: headers, body: ["text": Tapedeck.JSON(text)])
        )
    }

    /// A response with bytes.
    public static func data(
        _ data: Data,
        status: Int = 200,
        contentType: String? = "application/octet-stream",
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        let body: Tapedeck.JSON =
            if let text = Self.readable(data) {
                ["text": Tapedeck.JSON(text)]
            } else {
                ["base64": Tapedeck.JSON(data.base64EncodedString())]
            }
        return Self(StaticTake(status: status, contentType: contentType, headers: headers, body: body))
    }

    /// A response with the content of a file, which is read now.
    ///
    /// ```swift
    /// try .file("Fixtures/photo.png")
    /// ```
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the folder of the calling source file.
    ///   - status: the status code.
    ///   - contentType: by default from the file's extension; `application/octet-stream` for an unknown one.
    ///   - headers: in their order; a name may be repeated.
    ///   - source: the source file; the calling one by default.
    /// - Throws: an error if the file cannot be read.
    public static func file(
        _ path: String,
        status: Int = 200,
        contentType: String? = nil,
        headers: KeyValuePairs<String, String> = [:],
        relativeTo source: StaticString = #filePath
    ) throws -> Self {
        let folder = URL(fileURLWithPath: "\(source)").deletingLastPathComponent()
        let file = URL(fileURLWithPath: path, relativeTo: folder)
        let type = contentType ?? Self.contentTypes[file.pathExtension.lowercased()] ?? "application/octet-stream"
        return self.data(try Data(contentsOf: file), status: status, contentType: type, headers: headers)
    }

    private static let contentTypes: [String: String] = [
        "json": "application/json", "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "xml": "application/xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "svg": "image/svg+xml", "webp": "image/webp", "pdf": "application/pdf", "zip": "application/zip",
        "gz": "application/gzip", "mp4": "video/mp4",
    ]

    /// The maximum size of a text that a person reads, in bytes.
    private static let readableLimit = 256 << 10

    /// Returns bytes as text, if a person can read them.
    private static func readable(_ data: Data) -> String? {
        guard data.count <= Self.readableLimit, let text = String(utf8: data) else { return nil }
        let isReadable = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n" || scalar == "\r" || scalar == "\t"
        }
        return isReadable ? text : nil
    }
}

// MARK: Faults

extension Tapedeck.Answer {
    /// A fault. One that needs a response has one of status 200 with a short text; to give it another, say
    /// `.text("…").fault(.resetDuringBody)`.
    ///
    /// - Parameters:
    ///   - fault: the way in which the exchange fails.
    ///   - code: the error code of HTTP/2 (RFC 9113 section 7), such as `CANCEL`, or a number. It goes with `streamReset`,
    ///     `truncatedBody`, `goAway` and `goAwayRefused`; `nil` is the usual one of the fault.
    ///   - after: how much of the body comes before the fault; `nil` is the usual part of the fault.
    public static func fault(_ fault: Tapedeck.Fault, code: String? = nil, after: Tapedeck.Fault.Point? = nil) -> Self {
        Self(StaticTake(fault, code: code, after: after))
    }

    /// The error that a URLSession reports, such as `notConnectedToInternet`; other clients meet its
    /// ``Tapedeck/URLErrorName/fault``.
    public static func urlError(_ name: Tapedeck.URLErrorName) -> Self {
        var take = StaticTake(status: nil)
        take.fault = name.fault
        take.urlError = name
        return Self(take)
    }
}

// MARK: Changing responses

extension Tapedeck.Answer {
    /// Adds a fault to a response, which should have a body; a fault without a response replaces it.
    ///
    /// ```swift
    /// .text("half of this arrives").fault(.resetDuringBody)
    /// ```
    ///
    /// Answers of other variants or the live server are not affected.
    ///
    /// - Parameters:
    ///   - fault: the way in which the exchange fails.
    ///   - code: the error code of HTTP/2, as of the static function.
    ///   - after: how much of the body comes before the fault; `nil` is the usual part of the fault.
    public func fault(_ fault: Tapedeck.Fault, code: String? = nil, after: Tapedeck.Fault.Point? = nil) -> Self {
        self.changingTakes { take in
            if fault.hasResponse, take.hasResponse {
                take.fault = fault
                take.faultCode = code
                take.faultAfter = after
            } else {
                take = StaticTake(fault, code: code, after: after)
            }
        }
    }

    /// Adds a header field to every response that is a part of it. Answers of other variants or the live server are not
    /// affected.
    public func header(_ name: String, _ value: String) -> Self {
        self.changingTakes { take in
            if take.hasResponse { take.headers.append(Tapedeck.JSON.Member(name, Tapedeck.JSON(value))) }
        }
    }

    /// Adds a trailer field after the body of every response that is a part of it, which is then chunked.
    public func trailer(_ name: String, _ value: String) -> Self {
        self.changingTakes { take in
            if take.hasResponse { take.trailers.append(Tapedeck.JSON.Member(name, Tapedeck.JSON(value))) }
        }
    }

    /// Ends the body of every response that is a part of it only with the connection.
    public func endingAtClose() -> Self {
        self.changingTakes { take in
            if take.hasResponse { take.endsAtClose = true }
        }
    }

    private func changingTakes(_ change: (inout StaticTake) -> Void) -> Self {
        self.with { answer in
            switch answer.action {
            case .take(var take):
                change(&take)
                answer.action = .take(take)
            case .sequence(let parts, let after):
                answer.action = .sequence(parts.map { $0.changingTakes(change) }, after: after)
            case .random(let choices):
                answer.action = .random(
                    choices.map { Choice(weight: $0.weight, answer: $0.answer.changingTakes(change)) }
                )
            case .conditional(let request, let then, let otherwise):
                answer.action = .conditional(
                    request,
                    then: then.changingTakes(change),
                    otherwise: otherwise?.changingTakes(change)
                )
            case .variant, .passthrough: break
            }
        }
    }
}
