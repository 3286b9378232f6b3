import TapedeckCore

/// One difference between two answers to the same request.
package struct TakeDifference: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The part that a client program relies on: status, media type, names of header fields, names and types in
        /// JSON.
        case shape
        /// Anything else: a value.
        case value
    }

    package var kind: Kind
    /// `status`, `header etag`, `body`, or a place in a JSON body such as `$.owner.id` or `$.items[*].id`.
    package var place: String
    /// The old value, shortened; `nil` if there was none.
    package var old: String?
    /// The new value; `nil` if there is none.
    package var new: String?

    package init(_ kind: Kind, _ place: String, old: String?, new: String?) {
        self.kind = kind
        self.place = place
        self.old = old
        self.new = new
    }

    /// One line: `~ $.owner.login: string → number`, `+ $.new_field: string`, `- header etag`,
    /// `~ value $.stars: 10 → 12`.
    package var summary: String {
        let place = self.kind == .value ? "value \(self.place)" : self.place
        switch (self.old, self.new) {
        case (let old?, let new?): return "~ \(place): \(old) → \(new)"
        case (nil, let new?): return "+ \(place)" + (new.isEmpty ? "" : ": \(new)")
        case (let old?, nil): return "- \(place)" + (old.isEmpty ? "" : ": \(old)")
        case (nil, nil): return "~ \(place)"
        }
    }
}
