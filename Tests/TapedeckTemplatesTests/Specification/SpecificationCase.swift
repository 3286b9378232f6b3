import Testing

/// A test case of the Mustache specification: a template, data as JSON, and the expected text.
///
/// The cases restate those of https://github.com/mustache/spec, version 1.4.2 (MIT license, Copyright (c) 2010-2022
/// Mustache Contributors): interpolation, sections, inverted sections, comments and delimiters, without those that need
/// partials. Its three cases of HTML escaping are in ``SpecificationTests``, since nothing is escaped as HTML here.
struct SpecificationCase: CustomTestStringConvertible {
    let name: String
    let template: String
    let data: String
    let expected: String

    init(_ name: String, _ template: String, _ data: String, _ expected: String) {
        self.name = name
        self.template = template
        self.data = data
        self.expected = expected
    }

    var testDescription: String { self.name }
}
