import TapedeckCore
import TapedeckSessions

/// From a take to what is played of it.
extension TakeSource {
    /// The response, unless a file must be read or a content coding be put on for it.
    func immediate(for client: ClientAbilities) -> PlayableResponse? {
        guard self.fileValues == nil else { return nil }
        return PlayableResponse.immediate(self.take, for: client, isRestored: self.isRestored)
    }

    /// The response, whatever it takes: not for an event loop.
    func make(for client: ClientAbilities) throws -> PlayableResponse {
        let (take, isRestored) = try self.loaded()
        return try PlayableResponse.make(take, for: client, isRestored: isRestored)
    }
}
