package import TapedeckCore
import TapedeckLocking

/// The requests that the rules exclude from a session's recording.
extension Session {
    /// A request, or a tunnel that is not intercepted, is passed through.
    package func notePassed(_ origin: Origin, _ reason: HostRules.Reason, isTunnel: Bool) {
        self.tallies.withLock { $0.unrecorded.pass(origin, reason, isTunnel: isTunnel) }
    }

    /// A request or a tunnel is refused.
    package func noteBlocked(_ origin: Origin, pattern: String) {
        self.tallies.withLock { $0.unrecorded.block(origin, pattern: pattern) }
    }

    /// A request or a tunnel is refused because of where it would lead.
    package func noteRefused(_ refusal: TargetRefusal) {
        self.tallies.withLock { $0.unrecorded.refuse(refusal) }
    }

    /// An exchange is left out of the recording.
    package func noteLeftOut(_ request: RequestLine, _ reason: RecordingFilter.Reason) {
        self.tallies.withLock { $0.unrecorded.leaveOut(request, reason) }
    }
}
