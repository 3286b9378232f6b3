/// The fields of forms and the parts of multipart bodies that do not count.
package struct IgnoredFields: Sendable, Hashable {
    /// The names of fields of forms.
    package var fields: [String] = []
    /// The names of parts of multipart bodies.
    package var parts: [String] = []

    package init(fields: [String] = [], parts: [String] = []) {
        (self.fields, self.parts) = (fields, parts)
    }

    package var isEmpty: Bool { self.fields.isEmpty && self.parts.isEmpty }
}
