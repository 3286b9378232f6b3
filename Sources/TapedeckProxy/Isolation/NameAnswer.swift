/// Answers to DNS queries (RFC 1035) that give every name an address of its own.
///
/// Names have IPv4 addresses and no other records, so that clients use those at once. `localhost` is the machine itself.
enum NameAnswer {
    private enum Code: UInt8 {
        case none = 0
        case malformed = 1
        case failure = 2
        case unknownName = 3
        case notImplemented = 4
    }

    private static let headerLength = 12
    private static let typeA: UInt16 = 1
    private static let typePTR: UInt16 = 12
    private static let typeAAAA: UInt16 = 28
    /// Clients may keep an address for this time, in seconds: it does not change while the command runs.
    private static let lifetime: UInt8 = 60

    /// Returns the answer to a query, or `nil` if it is not a query, which gets no answer.
    static func answer(to query: [UInt8], from table: NameTable) -> [UInt8]? {
        // The first bit of the flags tells responses from queries.
        guard query.count >= self.headerLength, query[2] & 0x80 == 0 else { return nil }
        guard query[2] & 0x78 == 0 else { return self.message(query, code: .notImplemented) }
        guard query[4] == 0, query[5] == 1, let question = Question(query, at: self.headerLength) else {
            return self.message(query, code: .malformed)
        }
        let asked = query[self.headerLength..<question.end]
        guard let name = question.name, question.type != self.typePTR else {
            return self.message(query, asked, code: .unknownName)
        }
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        switch question.type {
        case self.typeA:
            guard let address = isLocal ? 0x7F00_0001 : table.address(of: name) else {
                return self.message(query, asked, code: .failure)
            }
            return self.message(
                query,
                asked,
                record: stride(from: 24, through: 0, by: -8).map { UInt8(address >> $0 & 0xFF) }
            )
        case self.typeAAAA where isLocal:
            return self.message(query, asked, record: [UInt8](repeating: 0, count: 15) + [1])
        default:
            return self.message(query, asked)
        }
    }

    private static func message(
        _ query: [UInt8],
        _ question: ArraySlice<UInt8> = [],
        record: [UInt8]? = nil,
        code: Code = .none
    ) -> [UInt8] {
        // A response, with the query's opcode and "recursion desired"; recursion is available.
        var message = [query[0], query[1], 0x80 | query[2] & 0x79, 0x80 | code.rawValue]
        message += [0, question.isEmpty ? 0 : 1, 0, record == nil ? 0 : 1, 0, 0, 0, 0]
        message += question
        guard let record else { return message }
        let type = record.count == 4 ? self.typeA : self.typeAAAA
        // The name by a pointer to the question's, the type, the class IN.
        message += [0xC0, UInt8(self.headerLength), 0, UInt8(type), 0, 1]
        return message + [0, 0, 0, self.lifetime, 0, UInt8(record.count)] + record
    }

    private struct Question {
        /// In lower case, without a final dot; `nil` if it is not a host name.
        var name: String?
        var type: UInt16
        /// The offset behind it.
        var end: Int

        init?(_ query: [UInt8], at start: Int) {
            var labels: [ArraySlice<UInt8>] = []
            var offset = start
            while true {
                guard offset < query.count else { return nil }
                let length = Int(query[offset])
                offset += 1
                guard length > 0 else { break }
                // A pointer is useless before the only name.
                guard length <= 63, offset + length <= query.count, offset + length - start <= 254 else { return nil }
                labels.append(query[offset..<offset + length])
                offset += length
            }
            guard offset + 4 <= query.count else { return nil }
            self.type = UInt16(query[offset]) << 8 | UInt16(query[offset + 1])
            self.end = offset + 4
            let isHost = !labels.isEmpty && labels.allSatisfy { $0.allSatisfy(Self.isOfHost) }
            self.name =
                isHost
                ? labels.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: ".") : nil
        }

        /// Letters, digits, hyphens, and the underscores that names of containers have.
        private static func isOfHost(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
    }
}
