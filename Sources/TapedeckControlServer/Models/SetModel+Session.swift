import TapedeckControlAPI
import TapedeckCore

extension SetModel {
    init(_ overview: SetOverview) {
        let set = overview.set
        self.init(name: set.name, cassette: overview.cassette, request: set.request.line, playing: overview.playing)
        self.isAdded = overview.isAdded
        self.conditions = set.request.conditionNames + set.requires.map { "requires \($0.key)" }
        if set.priority != 0 { self.conditions.append("priority \(set.priority)") }
        self.variants = set.variants.enumerated().map { number, variant in
            Variant(
                name: variant.name,
                summary: variant.behaviour.fullSummary,
                isDefault: number == set.defaultVariant,
                isBuiltIn: false
            )
        }
        // A variant of the set's own takes the place of a built-in one of its name.
        let own = Set(set.variants.map(\.name))
        for builtIn in BuiltInVariant.allCases where !own.contains(builtIn.rawValue) {
            self.variants.append(
                Variant(name: builtIn.rawValue, summary: builtIn.summary, isDefault: false, isBuiltIn: true)
            )
        }
        self.selected = overview.selected
        self.wrappers = overview.wrappers
        self.asked = overview.asked
    }
}

extension Behaviour {
    /// The number of statuses that are listed.
    private static let namedStatuses = 4

    /// Statuses and faults of the takes, and what it does beyond playing them.
    fileprivate var fullSummary: String {
        var statuses: [String] = []
        for take in self.allTakes {
            let fault = take.fault.map(\.rawValue)
            let text =
                take.isFaultAlone ? fault ?? "" : [String(take.status), fault].compactMap { $0 }.joined(separator: " ")
            if statuses.last != text { statuses.append(text) }
        }
        if statuses.count > Self.namedStatuses { statuses = statuses.prefix(Self.namedStatuses - 1) + ["…"] }
        return [statuses.joined(separator: ", "), self.summary].filter { !$0.isEmpty }.joined(separator: "; ")
    }
}

extension BuiltInVariant {
    fileprivate var summary: String {
        switch self {
        case .slow: "the same, after 1 to 3 s"
        case .flaky: "the same, now and then reset"
        default: self.take.map { take in take.fault?.rawValue ?? String(take.status) } ?? ""
        }
    }
}
