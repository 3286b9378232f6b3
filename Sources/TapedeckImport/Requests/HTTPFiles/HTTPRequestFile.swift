import TapedeckCore

/// Reads the requests of `.http` and `.rest` files: those of JetBrains' HTTP Client, of the REST Client for Visual
/// Studio Code and of httpYac.
package struct HTTPRequestFile: ImportFormat {
    package let name = "http"

    private let values: RequestValues

    package init(values: RequestValues = RequestValues()) {
        self.values = values
    }

    package func recognises(_ file: ImportFile) -> Bool {
        let path = ASCII.lowercased(file.path)
        guard path.hasSuffix(".http") || path.hasSuffix(".rest"), let lines = RequestText.lines(file.bytes) else {
            return false
        }
        return HTTPFileBlock.blocks(of: lines).contains { $0.hasRequest }
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        guard let lines = RequestText.lines(file.bytes) else {
            throw ForeignError(message: "the text is not valid UTF-8", line: 1, column: 1)
        }
        let blocks = HTTPFileBlock.blocks(of: lines)
        let variables = HTTPFileVariables(blocks, self.values, side: file.side)
        var result = ImportedFile()
        for block in blocks {
            if let line = block.openScript {
                let reason = LeftOut("a script before the request is not closed", line: line)
                result.requests.append(RequestEntry(line: line, result: .failure(reason)))
            }
            guard let first = block.requestLine else { continue }
            let reader = HTTPFileRequest(block: block, variables: variables, side: file.side)
            result.requests.append(
                RequestEntry.reading(line: first.number) { () throws(LeftOut) in try reader.request(first) }
            )
        }
        return result
    }
}
