package import TapedeckCassettes
package import TapedeckCore

extension DeckConfiguration {
    /// Returns the name of the variant that a recording is saved as.
    ///
    /// - Throws: ``DeckError`` for a text that cannot be one.
    package static func recordingVariant(_ text: String?) throws(DeckError) -> ScenarioName? {
        try self.made(text, "--variant") { try ScenarioName($0) }
    }

    /// Parses the recording options of a command line.
    ///
    /// - Parameters:
    ///   - keepHeaders: `*`, `none`, or names separated by commas.
    ///   - maxBody: a size such as `10 MB`.
    ///   - statuses: such as `200,2xx`.
    /// - Throws: ``DeckError`` for an invalid text, with the option that has it.
    package static func recordSettings(
        only: [String] = [],
        except: [String] = [],
        passthrough: [String] = [],
        block: [String] = [],
        recordsLoopback: Bool? = nil,
        keepHeaders: String? = nil,
        maxBody: String? = nil,
        statuses: String? = nil,
        recordsFaults: Bool? = nil
    ) throws(DeckError) -> RecordSettings {
        var settings = RecordSettings()
        settings.only = try self.hosts(only, "--only")
        settings.except = try self.hosts(except, "--except")
        settings.passthrough = try self.hosts(passthrough, "--passthrough")
        settings.block = try self.hosts(block, "--block")
        // A missing option leaves the project's setting in force.
        settings.recordsLoopback = recordsLoopback
        settings.recordsFaults = recordsFaults
        settings.keptHeaders = try self.made(keepHeaders, "--keep-headers") { try KeptHeaders($0) }
        settings.maxBody = try self.made(maxBody, "--max-body") { try ByteSize($0) }
        settings.statuses = try self.made(statuses, "--status") { try StatusFilter($0) }
        return settings
    }

    static func hosts(_ texts: [String], _ option: String) throws(DeckError) -> [HostPattern] {
        var hosts: [HostPattern] = []
        for text in texts {
            if let host = try self.made(text, option, { try HostPattern($0) }) { hosts.append(host) }
        }
        return hosts
    }

    private static func made<Value>(
        _ text: String?,
        _ option: String,
        _ make: (String) throws -> Value
    ) throws(DeckError) -> Value? {
        guard let text else { return nil }
        do {
            return try make(text)
        } catch {
            throw DeckError("\(option): \(error)", kind: .badOption)
        }
    }
}
