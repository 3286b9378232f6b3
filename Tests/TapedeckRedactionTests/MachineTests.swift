import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Values that tell on which machine a recording was made.
struct MachineTests {
    private static let surroundings = Surroundings([
        "HOME": ["/home/ada"], Surroundings.folder: ["/home/ada/src/shop"], Surroundings.host: ["ada-laptop"],
        "TMPDIR": ["/tmp"], "USER": ["ada"],
    ])

    private func redactor(_ surroundings: Surroundings = Self.surroundings, off: [String] = []) throws -> Redactor {
        var settings = RedactionSettings()
        settings.off = off
        let rules = try RedactionRules(
            [settings],
            environment: [:],
            surroundings: surroundings,
            matchedBodyLimit: 1 << 20
        )
        return Redactor(rules, vault: SecretVault())
    }

    /// The text with placeholders without numbers.
    private func redacted(_ text: String, _ redactor: Redactor? = nil) throws -> String {
        SecretPlaceholder.replacing(in: try (redactor ?? self.redactor()).redacted(text)) { placeholder in
            var placeholder = placeholder
            placeholder.number = nil
            return placeholder.text
        }
    }

    @Test(arguments: [
        ("in /home/ada/src/shop.", "in {{secret.folder}}."),
        ("/home/ada/.config", "{{secret.home}}/.config"),
        (
            #"{"at": "C\n/home/ada", "b": "file:///home/ada/x"}"#,
            #"{"at": "C\n{{secret.home}}", "b": "file://{{secret.home}}/x"}"#
        ),
        (#"{"a": "{\"p\": \"/home/ada/x\"}"}"#, #"{"a": "{\"p\": \"{{secret.home}}/x\"}"}"#),
        ("a=%2Fhome%2Fada%2Fx", "a={{secret.home:percent}}%2Fx"),
        ("backups/home/ada/x", "backups{{secret.home}}/x"),
        ("curl on ada-laptop (ada-laptop.local)", "curl on {{secret.host}} ({{secret.host}}.local)"),
    ])
    func `home, working folder and host are placeholders`(_ text: String, _ redacted: String) throws {
        #expect(try self.redacted(text) == redacted)
    }

    @Test(arguments: [
        "/home/adam", "/home/ada2/x", "/home/ada-old", "/home/ada.bak/x", "ada-laptop-2", "my-ada-laptop",
        "ada wrote it", "/tmp/x",
        // They would come back in another spelling.
        "%2fhome%2fada", "u=%252Fhome%252Fada", #"{"p": "\/home\/ada\/x"}"#, #"{"p": "\u002fhome/ada"}"#,
        "%2Fhome%2Fadam", "L2hvbWUvYWRhL3NyYy9zaG9wL2luZGV4Lmh0bWwgaXMgdGhlIHBhZ2UgdGhhdCB3YXMgYXNrZWQgZm9yIHRvZGF5",
    ])
    func `they are whole words, and no base64`(_ text: String) throws {
        #expect(try self.redacted(text) == text)
    }

    @Test func `a folder with a space is left in URLs, where slashes stand beside its escapes`() throws {
        let redactor = try self.redactor(Surroundings(["HOME": ["/home/Ada Lovelace"]]))
        #expect(try self.redacted("/home/Ada Lovelace/x", redactor) == "{{secret.home}}/x")
        #expect(try self.redacted("file:///home/Ada%20Lovelace/x", redactor) == "file:///home/Ada%20Lovelace/x")
        #expect(try self.redacted("?f=%2Fhome%2FAda%20Lovelace", redactor) == "?f={{secret.home:percent}}")
    }

    @Test func `requests that are compared by their digest keep them`() throws {
        let text = String(repeating: "/home/ada/x ", count: 100_000)
        #expect(try self.redactor().redacted(request: text, type: "text/plain") == text)
        #expect(try self.redactor().redacted(text, type: "text/plain").contains("{{secret.home"))
    }

    @Test func `a value that many machines have is only searched for where it plays`() throws {
        let secrets = [SecretDescription(name: "home", shape: "/home/user", environment: "HOME")]
        let values = SecretValues(secrets, environment: ["HOME": "/root"])
        #expect(values.unbound == ["home"])
        #expect(
            try Redactor(.builtIn, vault: SecretVault(known: values)).redacted("in /root/x") == "in {{secret.home}}/x"
        )
        let recorded = Redactor(.builtIn, vault: SecretVault(known: values.withoutCommon))
        #expect(try recorded.redacted("in /root/x") == "in /root/x")
    }

    @Test func `a folder within a longer name is still in the home folder`() throws {
        #expect(try self.redacted("/home/ada/src/shop-old/x") == "{{secret.home}}/src/shop-old/x")
    }

    @Test(arguments: [
        ("HOME", "/root"), ("HOME", "/home/runner"), ("HOME", "/home/ubuntu"), ("HOME", "/"), ("HOME", "/app"),
        (Surroundings.folder, "/workspace/app"), (Surroundings.host, "mercury"), (Surroundings.host, "vm"),
    ])
    func `what many machines have stays`(_ name: String, _ value: String) throws {
        let text = "at \(value) or \(value)/x"
        #expect(try self.redacted(text, self.redactor(Surroundings([name: [value]]))) == text)
    }

    @Test func `binary bodies and a rule that is off leave them alone`() throws {
        #expect(try self.redacted("/home/ada", self.redactor(off: ["machine"])) == "/home/ada")
        let body = "\u{0}\u{1}\u{2}/home/ada\u{0}"
        #expect(try self.redactor().redacted(body, type: "application/octet-stream") == body)
    }

    @Test func `they have their variable and a shape that tells nothing`() throws {
        let redactor = try self.redactor()
        let text = try redactor.redacted("/home/ada/src/shop and /home/ada on ada-laptop")
        let traits = SecretPlaceholder.all(in: text).compactMap { $0.placeholder.number.map(redactor.vault.traits) }
        #expect(
            traits == [
                SecretTraits(shape: "/home/user/project", variable: "PWD"),
                SecretTraits(shape: "/home/user", variable: "HOME"),
                SecretTraits(shape: "host-1", variable: "HOSTNAME"),
            ]
        )
    }

    @Test func `on tape they are those of the machine that replays`() throws {
        let secrets = [
            SecretDescription(name: "home", shape: "/home/user", environment: "HOME"),
            SecretDescription(name: "folder", shape: "/home/user/project", environment: "PWD"),
        ]
        let values = SecretValues(secrets, environment: ["HOME": "/root"])
        #expect(values.restored("{{secret.home}}/x in {{secret.folder}}") == "/root/x in /home/user/project")
        let redactor = Redactor(.builtIn, vault: SecretVault(known: values))
        #expect(try redactor.redacted("/root/x, not /rooted") == "{{secret.home}}/x, not /rooted")
    }
}
