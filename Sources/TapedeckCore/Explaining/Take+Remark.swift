extension Take {
    /// Returns a remark on a request that this take answered, if its body differs from that of the recorded request: the
    /// take may be an answer to something else. `nil` if the bodies are equal, or the recorded one is a condition or in a
    /// file.
    ///
    /// - Parameters:
    ///   - body: the body without content codings.
    ///   - fields: the header fields of the request.
    package func remark(onRequestWith body: [UInt8], _ fields: [HeaderField]) -> String? {
        guard self.recorded != nil, case .inline(let recorded)? = self.request?.body else { return nil }
        let content = recorded.decoded
        let wantedText = CanonicalBody.of(content, self.request?.headers ?? []) ?? content
        guard content != body, wantedText != CanonicalBody.of(body, fields) ?? body else { return nil }
        guard let wanted = try? JSONValue(parsing: content), let came = try? JSONValue(parsing: body) else {
            return SecretPlaceholder.mayBe(in: content) ? nil : "body differs from the recorded one"
        }
        // A secret differs from run to run.
        let difference = JSONExpectation(wanted).differences(came, limit: 8).first { difference in
            !(difference.wanted.map { SecretPlaceholder.mayBe(in: $0) } ?? false)
        }
        return difference.map { "body differs from the recorded one at \($0.path)" }
    }
}

extension SecretPlaceholder {
    fileprivate static func mayBe(in bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { self.mayBe(in: $0) } }
}
