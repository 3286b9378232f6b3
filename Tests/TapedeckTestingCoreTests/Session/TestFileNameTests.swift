import TapedeckTestingCore
import Testing

/// The files of cassettes that are named after tests.
struct TestFileNameTests {
    @Test(arguments: [
        ("LoginTests/saysHello()", "login-tests/says-hello"),
        ("LoginTests/Inner/saysHello(_:) [ada]", "login-tests/inner/says-hello.ada"),
        ("LoginTests/saysHello(name:) [ada]", "login-tests/says-hello.name.ada"),
        ("LoginTests.testOffline", "login-tests/test-offline"),
        ("AppTests/LoginTests.swift saysHello()", "app-tests/login-tests/says-hello"),
    ])
    func `a name of plain words is the file's`(test: String, path: String) {
        #expect(TestFileName(test).path == path)
    }

    @Test(arguments: [
        ("LoginTests/saysHello(_:) [Ada]", "login-tests/says-hello.ada-"),
        ("LoginTests/saysHello(_:) [ada, 2]", "login-tests/says-hello.ada-2-"),
        ("LoginTests/saysHello(_:) []", "login-tests/says-hello-"),
        ("LoginTests/parsesJSON()", "login-tests/parses-json-"),
        ("LoginTests/says hello()", "login-tests/says-hello-"),
        ("LoginTests/saysHello(_:) [../../escape]", "login-tests/says-hello.escape-"),
    ])
    func `a name that loses something ends in a digest`(test: String, start: String) {
        let path = TestFileName(test).path
        #expect(path.hasPrefix(start))
        #expect(path.dropFirst(start.count).count == 8)
        #expect(path.dropFirst(start.count).allSatisfy { $0.isHexDigit })
    }

    @Test func `a digest is the same on every machine`() {
        #expect(TestFileName.digest("LoginTests/saysHello(_:) [Ada]") == "b26c02b0")
    }

    @Test func `every case has a file of its own, on a disk that ignores case too`() {
        let arguments = [
            "large", "Large", "LARGE", "", " ", "🎉", "🚀", "é", "e\u{301}", "E", "e", "a, b", "a,b", "a b", "a-b", "a.b",
            "name.ada", "ada", "x/y", "x\\y", "..", ".", String(repeating: "a", count: 400),
            String(repeating: "a", count: 401), String(repeating: "é", count: 300),
        ]
        let functions = [
            "says()", "Says()", "says(_:)", "says(name:)", "saysName(_:)", "says_name(_:)", "`says name`(_:)",
            "saysJSON(_:)",
            "saysJson(_:)", "saysjson(_:)",
        ]
        let suites = ["", "LoginTests/", "Logintests/", "loginTests/", "Login_Tests/", "LoginTests/Inner/", "ÅrTests/"]
        var names: [String] = []
        for suite in suites {
            for function in functions {
                names.append(suite + function)
                names += arguments.map { "\(suite)\(function) [\($0)]" }
            }
        }
        var owners: [String: String] = [:]
        for name in names {
            let path = TestFileName(name).path
            #expect(path == path.lowercased())
            #expect(path.utf8.allSatisfy { $0 < 0x80 })
            for part in path.split(separator: "/", omittingEmptySubsequences: false) {
                #expect(!part.isEmpty && !part.hasPrefix("."))
                #expect(part.utf8.count + ".yaml".utf8.count <= 255)
            }
            let owner = owners.updateValue(name, forKey: path)
            #expect(owner == nil, "\(name) and \(owner ?? "") share \(path)")
        }
    }
}
