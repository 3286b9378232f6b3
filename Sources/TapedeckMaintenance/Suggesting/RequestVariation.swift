package import TapedeckCore

/// A request of a recording, as far as two of them are compared field by field.
package struct ComparableRequest: Sendable {
    /// Methods and URL without the query, in canonical form: only requests of one place are compared.
    package var place: String
    package var query: [(name: String, value: String)]
    /// The header fields that are compared, names in lower case.
    package var headers: [(name: String, value: String)]
    /// `nil` for a body that is not JSON.
    package var json: JSONValue?
    /// The body, if it is not JSON.
    package var bytes: [UInt8]?

    package init(
        place: String,
        query: [(name: String, value: String)],
        headers: [(name: String, value: String)] = [],
        json: JSONValue? = nil,
        bytes: [UInt8]? = nil
    ) {
        self.place = place
        self.query = query
        self.headers = headers
        self.json = json
        self.bytes = bytes
    }

    /// Returns the fields in which another request of the same place differs, or `nil` if too many differ.
    package func variation(to other: ComparableRequest) -> [FieldVariation]? {
        guard self.place == other.place, self.bytes == other.bytes else { return nil }
        var fields =
            Self.variations(.query, self.query, other.query) + Self.variations(.header, self.headers, other.headers)
        switch (self.json, other.json) {
        case (nil, nil): break
        case (let old?, let new?):
            var search = JSONVariation()
            search.compare(old, new, at: "$")
            // A request that differs in more than half of its values is another request.
            guard search.differing == 0 || search.differing * 2 <= search.leaves + 1 else { return nil }
            fields += search.fields
        default: return nil
        }
        return fields
    }

    private static func variations(
        _ kind: FieldVariation.Kind,
        _ old: [(name: String, value: String)],
        _ new: [(name: String, value: String)]
    ) -> [FieldVariation] {
        var names: [String] = []
        for name in (old + new).map(\.name) where !names.contains(name) { names.append(name) }
        return names.compactMap { name in
            let values = [old, new].map { $0.filter { $0.name == name }.map(\.value) }
            guard values[0] != values[1] else { return nil }
            return FieldVariation(kind: kind, name: name, values: values[0] + values[1])
        }
    }
}

/// A field in which two requests differ that are the same otherwise.
package struct FieldVariation: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case query
        case header
        case json
    }

    package var kind: Kind
    /// The name of a query parameter or a header field; for JSON a path, in which `[*]` means every item of a list.
    package var name: String
    /// The values of both.
    package var values: [String]

    package init(kind: Kind, name: String, values: [String]) {
        self.kind = kind
        self.name = name
        self.values = values
    }
}

/// Walks through two JSON values and gathers the places in which they differ.
private struct JSONVariation {
    private(set) var fields: [FieldVariation] = []
    private(set) var leaves = 0
    private(set) var differing = 0

    mutating func compare(_ old: JSONValue, _ new: JSONValue, at path: String) {
        switch (old, new) {
        case (.object(let members), .object(let others)):
            let (left, right) = (JSONMembers(members), JSONMembers(others))
            for member in left.counting {
                let path = JSONDifference.path(path, member: member.name)
                if let other = right[member.name] {
                    self.compare(member.value, other, at: path)
                } else {
                    self.note(path, [member.value])
                }
            }
            for member in right.counting where left[member.name] == nil {
                self.note(JSONDifference.path(path, member: member.name), [member.value])
            }
        case (.array(let items), .array(let others)) where items.count == others.count:
            for (item, other) in zip(items, others) { self.compare(item, other, at: "\(path)[*]") }
        default:
            if old == new { self.leaves += 1 } else { self.note(path, [old, new]) }
        }
    }

    private mutating func note(_ path: String, _ values: [JSONValue]) {
        self.leaves += 1
        self.differing += 1
        let texts = values.map { $0.stringValue ?? String(decoding: $0.compactText, as: UTF8.self) }
        if let known = self.fields.firstIndex(where: { $0.name == path }) {
            self.fields[known].values += texts
        } else {
            self.fields.append(FieldVariation(kind: .json, name: path, values: texts))
        }
    }
}

/// Pairs the requests of two recordings of the same thing.
package enum RequestPairing {
    /// More requests of one place than this are not compared each with each. 500.
    private static let limit = 500

    /// Returns the differing fields of pairs of requests that are otherwise equal. The most similar requests are paired
    /// first, and among them those in the same order.
    package static func variations(_ old: [ComparableRequest], _ new: [ComparableRequest]) -> [[FieldVariation]] {
        var result: [[FieldVariation]] = []
        let olds = Dictionary(grouping: old, by: \.place)
        let news = Dictionary(grouping: new, by: \.place)
        for place in olds.keys.sorted() {
            result += self.pairs(olds[place] ?? [], news[place] ?? [])
        }
        return result
    }

    private static func pairs(_ old: [ComparableRequest], _ new: [ComparableRequest]) -> [[FieldVariation]] {
        var candidates: [(left: Int, right: Int, fields: [FieldVariation])] = []
        for (left, request) in old.prefix(self.limit).enumerated() {
            for (right, other) in new.prefix(self.limit).enumerated() {
                guard let fields = request.variation(to: other) else { continue }
                candidates.append((left, right, fields))
            }
        }
        candidates.sort { first, second in
            (first.fields.count, abs(first.left - first.right), first.left, first.right)
                < (second.fields.count, abs(second.left - second.right), second.left, second.right)
        }
        var taken: (left: Set<Int>, right: Set<Int>) = ([], [])
        var result: [[FieldVariation]] = []
        for candidate in candidates where !taken.left.contains(candidate.left) && !taken.right.contains(candidate.right)
        {
            taken.left.insert(candidate.left)
            taken.right.insert(candidate.right)
            if !candidate.fields.isEmpty { result.append(candidate.fields) }
        }
        return result
    }
}
