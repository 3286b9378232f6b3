/// The settings of command line and project file for recording. Unset ones are `nil` or empty.
package struct RecordSettings: Sendable, Equatable {
    /// See ``HostRules``.
    package var only: [HostPattern] = []
    package var except: [HostPattern] = []
    package var passthrough: [HostPattern] = []
    package var block: [HostPattern] = []
    /// True if servers on this machine are recorded without being named. Off by default.
    package var recordsLoopback: Bool?
    /// The header fields of requests that are noted; the usual ones by default.
    package var keptHeaders: KeptHeaders?
    /// An exchange whose response body is larger is not recorded. Else every size is.
    package var maxBody: ByteSize?
    /// Only exchanges with these statuses are recorded. Else all are.
    package var statuses: StatusFilter?
    /// True if failed exchanges are always recorded, even in place of answers on tape; false if never. `nil` records
    /// them where they replace no answer.
    package var recordsFaults: Bool?

    package init() {}

    /// Returns these settings, completed by the project's. Hosts that are excluded from the recording add up: no option
    /// removes those of a project.
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
        merged.recordsFaults = self.recordsFaults ?? project.recordsFaults
        return merged
    }

    /// The rules for hosts.
    package var hosts: HostRules {
        var rules = HostRules()
        rules.only = self.only
        rules.except = self.except
        rules.passthrough = self.passthrough
        rules.block = self.block
        rules.recordsLoopback = self.recordsLoopback ?? false
        return rules
    }

    /// The rules for exchanges.
    package var filter: RecordingFilter {
        RecordingFilter(
            maxBody: self.maxBody,
            statuses: self.statuses,
            dropsFailures: self.recordsFaults == false
        )
    }
}
