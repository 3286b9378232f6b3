/// What is recorded, as command line and project file say it. Everything is `nil` or empty where they do not.
package struct RecordSettings: Sendable, Equatable {
    /// See ``HostRules``.
    package var only: [HostPattern] = []
    package var except: [HostPattern] = []
    package var passthrough: [HostPattern] = []
    package var block: [HostPattern] = []
    /// Whether what is on this machine is recorded without being asked for by name. Else not.
    package var recordsLoopback: Bool?
    /// Which header fields of requests are noted. Else the usual ones.
    package var keptHeaders: KeptHeaders?
    /// An exchange whose response body is larger is not recorded. Else every size is.
    package var maxBody: ByteSize?
    /// Only exchanges with these statuses are recorded. Else all are.
    package var statuses: StatusFilter?
    /// Whether exchanges that failed are recorded: always, even in the place of answers on tape, or never. `nil` records
    /// them where they replace no answer.
    package var recordsFailures: Bool?

    package init() {}

    /// These settings, and the project's where these say nothing. Hosts that are not to be recorded add up: no option
    /// takes away what a project wants left alone.
    package func over(_ project: RecordSettings) -> RecordSettings {
        var merged = self
        if merged.only.isEmpty { merged.only = project.only }
        merged.except += project.except
        merged.passthrough += project.passthrough
        merged.block += project.block
        merged.recordsLoopback = self.recordsLoopback ?? project.recordsLoopback
        merged.keptHeaders = self.keptHeaders ?? project.keptHeaders
        merged.maxBody = self.maxBody ?? project.maxBody
        merged.statuses = self.statuses ?? project.statuses
        merged.recordsFailures = self.recordsFailures ?? project.recordsFailures
        return merged
    }

    /// What they say about hosts.
    package var hosts: HostRules {
        var rules = HostRules()
        rules.only = self.only
        rules.except = self.except
        rules.passthrough = self.passthrough
        rules.block = self.block
        rules.recordsLoopback = self.recordsLoopback ?? false
        return rules
    }

    /// What they say about exchanges.
    package var filter: RecordingFilter {
        RecordingFilter(
            maxBody: self.maxBody,
            statuses: self.statuses,
            dropsFailures: self.recordsFailures == false
        )
    }
}
