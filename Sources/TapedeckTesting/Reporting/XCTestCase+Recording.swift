import Foundation
import TapedeckTestingCore
import XCTest

#if canImport(Darwin)
extension XCTestCase {
    func record(_ issue: TestIssue) {
        guard issue.severity == .error else { return issue.printAsWarning() }
        let place = issue.place
        let location = place.line > 0 ? XCTSourceCodeLocation(filePath: place.filePath, lineNumber: place.line) : nil
        self.record(
            XCTIssue(
                type: .assertionFailure,
                compactDescription: issue.message,
                sourceCodeContext: XCTSourceCodeContext(location: location)
            )
        )
    }

    /// The class and the method with a dot between them, as on Linux. Apple's XCTest writes `-[LoginTests testOffline]`.
    var sessionName: String {
        String(self.name.drop { "-[".contains($0) }.prefix { $0 != "]" }).replacing(" ", with: ".")
    }
}
#else
extension XCTestCase {
    func record(_ issue: TestIssue) {
        guard issue.severity == .error else { return issue.printAsWarning() }
        self.recordFailure(
            withDescription: issue.message,
            inFile: issue.place.filePath,
            atLine: issue.place.line,
            expected: true
        )
    }

    /// The class and the method with a dot between them.
    var sessionName: String { self.name }
}
#endif

extension TestIssue {
    /// Prints the issue as compilers print a warning: XCTest has no warnings on every system.
    fileprivate func printAsWarning() {
        let line = "\(self.place.filePath):\(self.place.line): warning: \(self.message)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
