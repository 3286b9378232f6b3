package import TapedeckCore

/// The decision to copy a cassette over the one of its name at the other end.
package enum TransferDecision: Sendable, Equatable {
    /// It does not exist there.
    case new
    /// Both are the same.
    case same
    /// Only this side's has changed since both were the same, or it is plainly the newer one.
    case newer
    /// It is copied only if a person agrees.
    case ask(Reason)

    /// The reason why a person has to decide.
    package enum Reason: Sendable, Equatable {
        /// The other side's has changed since both were the same, and this side's has not.
        case onlyOtherChanged
        case bothChanged
        /// Only the times are known, and by them the other one is newer.
        case otherNewer
        /// The times tell nothing, being too close for two clocks, or of the future.
        case unclear
    }

    /// The clocks of two machines. Each file was written by one of them, but which one is unknown.
    package struct Clocks: Sendable {
        /// The current version here.
        package var now: Instant
        /// By how much the clocks differ, either way, in milliseconds.
        package var difference: Int64

        package init(now: Instant, other: Instant) {
            self.now = now
            self.difference = abs(now.milliseconds - other.milliseconds)
        }

        /// Times closer than this may be in either order: file systems and archives keep seconds. In milliseconds.
        var margin: Int64 { self.difference + 2_000 }
    }

    /// - Parameters:
    ///   - own: the version to copy.
    ///   - other: the existing version; `nil` if there is none.
    ///   - known: the digest of their last common version, if known.
    package init(_ own: CassetteVersion, over other: CassetteVersion?, known: String?, clocks: Clocks) {
        guard let other else {
            self = .new
            return
        }
        if own.digest == other.digest {
            self = .same
        } else if let known {
            self =
                other.digest == known ? .newer : .ask(own.digest == known ? .onlyOtherChanged : .bothChanged)
        } else {
            let latest = clocks.now.milliseconds + clocks.margin
            let (ownTime, otherTime) = (own.modified.milliseconds, other.modified.milliseconds)
            if max(ownTime, otherTime) > latest || abs(ownTime - otherTime) <= clocks.margin {
                self = .ask(.unclear)
            } else {
                self = ownTime > otherTime ? .newer : .ask(.otherNewer)
            }
        }
    }
}
