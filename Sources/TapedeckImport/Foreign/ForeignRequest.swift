package import TapedeckCore

/// A request that a file of another tool has without an answer.
package struct ForeignRequest: Sendable {
    package var method = "GET"
    package var url = ""
    package var headers: [HeaderField] = []
    package var body: [UInt8] = []
    /// A name of the entry for people; `nil` without one.
    package var title: String?
    /// The parts of the entry that are sent differently, in half a sentence each.
    package var notes: [String] = []

    package init() {}
}

/// One request of a file, or the reason why it cannot be sent.
package struct RequestEntry: Sendable {
    /// The line that it begins on, counted from 1.
    package let line: Int
    package let result: Result<ForeignRequest, LeftOut>

    package init(line: Int, result: Result<ForeignRequest, LeftOut>) {
        self.line = line
        self.result = result
    }

    /// Reads the request that begins on a line: what `read` throws is the reason for which it is not sent.
    static func reading(line: Int, _ read: () throws(LeftOut) -> ForeignRequest) -> RequestEntry {
        do throws(LeftOut) {
            return RequestEntry(line: line, result: .success(try read()))
        } catch {
            return RequestEntry(line: line, result: .failure(error))
        }
    }
}
