/// A place in requests that does not count: `query:page`, `headers:x-trace`, `json:$.id`, `form:nonce`, `parts:file`,
/// `xml://Nonce`.
package struct IgnoredPlace: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of places, by the keys of `ignore` in a cassette, in their order.
    package enum Kind: String, Sendable, CaseIterable {
        case query, headers, json, form, parts, xml
    }

    /// An invalid place, with advice.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let kind: Kind
    package let name: String

    init(_ kind: Kind, _ name: String) {
        (self.kind, self.name) = (kind, name)
    }

    /// - Throws: ``Problem`` if the text does not begin with a kind and a colon, or has nothing behind it.
    package init(_ text: String) throws(Problem) {
        let kind = text.prefix { $0 != ":" }
        let name = text.dropFirst(kind.count + 1)
        guard let kind = Kind(rawValue: String(kind)), !name.isEmpty else {
            throw Problem(
                description:
                    "`\(text)` is no place in a request: write query:NAME, headers:NAME, json:PATH, form:FIELD, "
                    + "parts:NAME or xml:PATH"
            )
        }
        guard kind != .headers || name.utf8.allSatisfy(ASCII.isToken) else {
            throw Problem(description: "`\(name)` is no name of a header field")
        }
        self.init(kind, String(name))
    }

    package var description: String { "\(self.kind.rawValue):\(self.name)" }
}

extension MatchingRules {
    /// The places of a kind that are ignored, as a cassette writes them.
    package func ignored(_ kind: IgnoredPlace.Kind) -> [String] {
        switch kind {
        case .query: self.ignoredQuery
        case .headers: self.ignoredHeaders
        case .json: self.ignoredJSON.map(\.description)
        case .form: self.ignoredFields.fields
        case .parts: self.ignoredFields.parts
        case .xml: self.ignoredXML.map(\.description)
        }
    }

    /// Returns true for a place that is ignored by this very name.
    package func ignores(_ place: IgnoredPlace) -> Bool {
        place.kind == .headers
            ? self.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, place.name) }
            : self.ignored(place.kind).contains(place.name)
    }

    /// True if all of each counted part counts.
    package var ignoresNothing: Bool { IgnoredPlace.Kind.allCases.allSatisfy { self.ignored($0).isEmpty } }

    /// Ignores what `other` ignores as well.
    package mutating func ignore(_ other: MatchingRules) {
        self.ignoredQuery += other.ignoredQuery
        self.ignoredHeaders += other.ignoredHeaders
        self.ignoredJSON += other.ignoredJSON
        self.ignoredFields.fields += other.ignoredFields.fields
        self.ignoredFields.parts += other.ignoredFields.parts
        self.ignoredXML += other.ignoredXML
    }

    /// Ignores a place, unless it does already.
    ///
    /// - Throws: ``IgnoredPlace/Problem`` if its path is invalid.
    package mutating func ignore(_ place: IgnoredPlace) throws(IgnoredPlace.Problem) {
        guard !self.ignores(place) else { return }
        switch place.kind {
        case .query: self.ignoredQuery.append(place.name)
        case .headers: self.ignoredHeaders.append(place.name)
        case .form: self.ignoredFields.fields.append(place.name)
        case .parts: self.ignoredFields.parts.append(place.name)
        case .json:
            do throws(JSONPathError) {
                self.ignoredJSON.append(try JSONPath(place.name))
            } catch {
                throw IgnoredPlace.Problem(description: "`\(place.name)` is no JSONPath: \(error.message)")
            }
        case .xml:
            do throws(PatternError) {
                self.ignoredXML.append(try XMLPath(place.name))
            } catch {
                throw IgnoredPlace.Problem(description: "`\(place.name)` is no path in XML: \(error.message)")
            }
        }
    }
}
