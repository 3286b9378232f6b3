/// A JSON text (RFC 8259) as a tree. Numbers keep their spelling, members their order.
///
/// Two values are equal when they mean the same: the order of members does not count, numbers are compared by value
/// (1 is 1.0 is 1e0), names and strings character by character, and of members of one name the last one counts.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    /// Any Unicode text; header values, which need not be UTF-8, are kept in another form.
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Parses a JSON text. A leading byte order mark is skipped (section 8.1); a lone surrogate becomes U+FFFD.
    ///
    /// - Throws: the error and its position. Errors include nesting beyond 512 levels, exponents with more than 18
    ///   digits, and bytes that are not UTF-8.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONParser.parse(bytes)
    }

    /// Parses a JSON text.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        let result = bytes.withUnsafeBytes { bytes -> Result<JSONValue, JSONError> in
            do throws(JSONError) {
                return .success(try JSONParser.parse(bytes))
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// Returns the last member of an object with this name, or `nil` if it is missing or the value is not an object.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.isSameText(as: name) }?.value
    }

    /// The text of a string; `nil` for anything else.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

/// One member of a JSON object. An object may have several of one name; the last one counts.
package struct JSONMember: Sendable, Equatable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }

    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.isSameText(as: right.name) && left.value == right.value
    }
}

extension JSONValue: Equatable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isSameText(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): Self.isSame(left, right)
        default: false
        }
    }

    /// No value is compared twice: that would double the work at every level.
    private static func isSame(_ left: [JSONMember], _ right: [JSONMember]) -> Bool {
        if left.count == right.count, zip(left, right).allSatisfy({ $0.name.isSameText(as: $1.name) }) {
            for (index, pair) in zip(left, right).enumerated() where pair.0.value != pair.1.value {
                // A difference in a member that a later one with the same name replaces does not count.
                guard left[(index + 1)...].contains(where: { $0.name.isSameText(as: pair.0.name) }) else {
                    return false
                }
            }
            return true
        }
        let left = JSONMembers(left)
        let right = JSONMembers(right)
        return left.counting.count == right.counting.count
            && left.counting.allSatisfy { member in right[member.name].map { $0 == member.value } ?? false }
    }
}
