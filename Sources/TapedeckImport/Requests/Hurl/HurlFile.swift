import TapedeckCore

/// Reads the requests of Hurl's files. Their responses are expectations, so they are no answers to play.
package struct HurlFile: ImportFormat {
    package let name = "hurl"

    private let values: RequestValues

    package init(values: RequestValues = RequestValues()) {
        self.values = values
    }

    package func recognises(_ file: ImportFile) -> Bool {
        guard ASCII.lowercased(file.path).hasSuffix(".hurl") else { return false }
        return String(validating: file.bytes, as: UTF8.self) != nil && HurlParser(file).beginsWithRequest
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        guard String(validating: file.bytes, as: UTF8.self) != nil else {
            throw ForeignError(message: "the text is not valid UTF-8", line: 1, column: 1)
        }
        var parser = HurlParser(file)
        for (name, value) in self.values.variables { parser.variables.give(name, value) }
        var result = ImportedFile()
        result.requests = parser.entries()
        return result
    }
}
