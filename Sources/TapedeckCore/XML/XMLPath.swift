/// A place in XML: `/Envelope/Body/*/Nonce`, `//Nonce` at any depth, `//Order/@id` for an attribute. Names are local names,
/// in any namespace; `*` is any name.
package struct XMLPath: Sendable, Hashable, CustomStringConvertible {
    struct Step: Sendable, Hashable {
        /// True if it may be at any depth.
        var isDeep: Bool
        var isAttribute: Bool
        /// `nil` is any.
        var name: String?

        func takes(_ name: XMLElement.Name) -> Bool { self.name.map { $0 == name.local } ?? true }
    }

    package let description: String
    let steps: ArraySlice<Step>

    /// - Throws: an error if the text does not begin with `/`, a step is empty or no name, or an attribute is not last.
    package init(_ text: String) throws(PatternError) {
        var steps: [Step] = []
        var isDeep = false
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.hasPrefix("/"), parts.count > 1 else {
            throw PatternError("a path in XML begins with / or //, such as //Order/@id", atCharacter: 1)
        }
        var place = 1
        for part in parts.dropFirst() {
            place += part.count + 1
            if part.isEmpty {
                guard !isDeep else { throw PatternError("three slashes in a path,", atCharacter: place) }
                isDeep = true
                continue
            }
            let isAttribute = part.hasPrefix("@")
            let name = isAttribute ? part.dropFirst() : part
            guard !name.isEmpty, !name.contains(where: { "[]()='\"<>&:@ \t".contains($0) }) else {
                throw PatternError("a step of a path in XML is a name without prefix, @name or *,", atCharacter: place)
            }
            guard steps.last?.isAttribute != true else {
                throw PatternError("an attribute has nothing below it,", atCharacter: place)
            }
            steps.append(Step(isDeep: isDeep, isAttribute: isAttribute, name: name == "*" ? nil : String(name)))
            isDeep = false
        }
        guard !isDeep, !steps.isEmpty else { throw PatternError("a path that ends with a slash,", atCharacter: place) }
        self.description = text
        self.steps = steps[...]
    }

    package static func == (left: XMLPath, right: XMLPath) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
}
