import TapedeckLocking
import Testing

/// The name of a test case's session: suites, function and arguments.
enum TestCaseName {
    private static let lastNumbers = Locked<[Test.ID: Int]>([:])

    static func of(_ test: Test, _ testCase: Test.Case) -> String {
        // The last component is the file and line that distinguish functions of one name, if present.
        let components = test.id.nameComponents.map { $0.filter { $0 != "`" } }
        let name = components.joined(separator: "/")
        guard testCase.isParameterized else { return name }
        let arguments = self.arguments(of: testCase) ?? "\(self.nextNumber(of: test))"
        return "\(name) [\(arguments)]"
    }

    /// Numbers the cases whose arguments are not accessible.
    private static func nextNumber(of test: Test) -> Int {
        self.lastNumbers.withLock { numbers in
            numbers[test.id, default: 0] += 1
            return numbers[test.id, default: 0]
        }
    }

    /// The arguments as text. They are not a public part of a case, so they are found by reflection; a later Swift
    /// Testing may store them elsewhere.
    static func arguments(of testCase: Test.Case) -> String? {
        self.values(of: testCase)?.map(self.text).joined(separator: ", ")
    }

    /// The type of an argument whose text is that of any other instance: of a class that does not describe itself.
    static func typeWithoutText(in testCase: Test.Case) -> String? {
        let value = self.values(of: testCase)?.first { value in
            Mirror(reflecting: value).displayStyle == .class
                && !(value is any CustomTestStringConvertible || value is any CustomStringConvertible)
        }
        return value.map { "\(type(of: $0))" }
    }

    private static func text(of value: Any) -> String {
        // Swift Testing puts texts in quotes.
        if let text = value as? String { return text }
        return (value as? any CustomTestStringConvertible)?.testDescription ?? "\(value)"
    }

    private static func values(of testCase: Test.Case) -> [Any]? {
        guard let list = self.find("arguments", in: testCase, depth: 4) else { return nil }
        let arguments = Mirror(reflecting: list)
        guard arguments.displayStyle == .collection, !arguments.children.isEmpty else { return nil }
        var values: [Any] = []
        for argument in arguments.children {
            guard let value = self.find("value", in: argument.value, depth: 1) else { return nil }
            values.append(value)
        }
        return values
    }

    private static func find(_ label: String, in value: Any, depth: Int) -> Any? {
        guard depth > 0 else { return nil }
        let children = Mirror(reflecting: value).children
        if let found = children.first(where: { $0.label == label }) { return found.value }
        for child in children {
            if let found = self.find(label, in: child.value, depth: depth - 1) { return found }
        }
        return nil
    }
}
