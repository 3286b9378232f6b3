import TapedeckCodings
package import TapedeckCore
import TapedeckRedaction

extension RecordedExchange {
    package typealias PlaceholderChange = (inout SecretPlaceholder) -> Void

    /// Changes the placeholders of secrets in it, in the order of URL, request and response. Bodies keep their content
    /// coding. Bodies in files have no placeholders: they are not text, or were not searched.
    ///
    /// - Returns: true if there was a placeholder.
    @discardableResult
    package mutating func changePlaceholders(_ change: PlaceholderChange) -> Bool {
        let isInRequest = self.changeRequestPlaceholders(change)
        return self.changeResponsePlaceholders(change) || isInRequest
    }

    private mutating func changeRequestPlaceholders(_ change: PlaceholderChange) -> Bool {
        var found = self.url.changePlaceholders(change)
        found = self.requestHeaders.changePlaceholders(change) || found
        var noMarks: [Int] = []
        return self.requestBody.changePlaceholders(self.requestHeaders, &noMarks, change) || found
    }

    private mutating func changeResponsePlaceholders(_ change: PlaceholderChange) -> Bool {
        var found = self.response.reason.changePlaceholders(change)
        for index in self.response.interim.indices {
            found = self.response.interim[index].headers.changePlaceholders(change) || found
        }
        found = self.response.headers.changePlaceholders(change) || found
        // Pieces of a body are sizes: where each ends moves with what changes in front of it.
        var ends: [Int] = []
        for piece in self.response.pieces { ends.append((ends.last ?? 0) + piece.size) }
        found = self.response.body.changePlaceholders(self.response.headers, &ends, change) || found
        for index in ends.indices {
            self.response.pieces[index].size = ends[index] - (index > 0 ? ends[index - 1] : 0)
        }
        found = self.response.trailers.changePlaceholders(change) || found
        if var detail = self.response.detail {
            found = detail.changePlaceholders(change) || found
            self.response.detail = detail
        }
        return found
    }

    /// Calls `body` with each placeholder in it, in the same order, repeated ones too.
    package func forEachPlaceholder(_ body: (SecretPlaceholder) -> Void) {
        self.forEachPlaceholderWithSide { placeholder, _ in body(placeholder) }
    }

    /// - Parameter body: gets whether the placeholder is in the response, too.
    func forEachPlaceholderWithSide(_ body: (SecretPlaceholder, _ isInResponse: Bool) -> Void) {
        var copy = self
        _ = copy.changeRequestPlaceholders { body($0, false) }
        _ = copy.changeResponsePlaceholders { body($0, true) }
    }
}

extension String {
    fileprivate mutating func changePlaceholders(_ change: RecordedExchange.PlaceholderChange) -> Bool {
        guard self.utf8.contains(ASCII.openBrace) else { return false }
        var bytes = ByteText.bytes(of: self)
        var noMarks: [Int] = []
        guard bytes.changePlaceholders(&noMarks, change) else { return false }
        self = ByteText.string(from: bytes)
        return true
    }
}

extension [HeaderField] {
    fileprivate mutating func changePlaceholders(_ change: RecordedExchange.PlaceholderChange) -> Bool {
        var found = false
        for index in self.indices { found = self[index].value.changePlaceholders(change) || found }
        return found
    }
}

extension RecordedBody {
    /// A coded body that unpacks to more than this holds no placeholder of ours, as it was not searched. 64 MiB.
    private static var decodedLimit: Int { 64 << 20 }

    fileprivate mutating func changePlaceholders(
        _ headers: [HeaderField],
        _ marks: inout [Int],
        _ change: RecordedExchange.PlaceholderChange
    ) -> Bool {
        guard case .bytes(var bytes) = self else { return false }
        var foundInMessages = false
        let changed = MessageCoder.changing(bytes, headers, type: nil, limit: Self.decodedLimit) { part, _ in
            var part = part
            var noMarks: [Int] = []
            foundInMessages = part.changePlaceholders(&noMarks, change) || foundInMessages
            return part
        }
        if let changed {
            self = .bytes(changed)
            return foundInMessages
        }
        let codings = ContentCoding.all(of: headers) ?? []
        if !codings.isEmpty, var content = try? ContentCoder.decode(bytes, codings, limit: Self.decodedLimit) {
            var noMarks: [Int] = []
            let before = content
            guard content.changePlaceholders(&noMarks, change) else { return false }
            if content != before,
                let found = try? RecipeSearch().recipes(for: bytes, codings, limit: Self.decodedLimit),
                let coded = try? ContentCoder.encode(content, found.layers)
            {
                self = .bytes(coded)
            }
            return true
        }
        guard bytes.changePlaceholders(&marks, change) else { return false }
        self = .bytes(bytes)
        return true
    }
}

extension [UInt8] {
    /// - Parameter marks: offsets, in order, which move along.
    fileprivate mutating func changePlaceholders(
        _ marks: inout [Int],
        _ change: RecordedExchange.PlaceholderChange
    ) -> Bool {
        var hasAny = false
        self = SecretPlaceholder.replacing(in: self, marks: &marks) { placeholder, range in
            hasAny = true
            var placeholder = placeholder
            change(&placeholder)
            return (range, Array(placeholder.text.utf8))
        }
        return hasAny
    }
}
