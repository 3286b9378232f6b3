extension OptionLayers {
    /// Options of the program around the deck that are taken once, at the start.
    private static let takenOnce = ["log-format", "log-level", "verbose", "report"]

    /// Returns a sentence for each option that has changed since the start and applies only after the next one.
    ///
    /// - Parameter start: the layers that the running deck was started with.
    func unheeded(since start: OptionLayers) -> [String] {
        func shown(_ setting: OptionSetting?) -> String {
            guard let setting, setting.isOn else { return setting?.option.defaultText ?? "none" }
            return setting.values.isEmpty ? "on" : setting.values.joined(separator: ", ")
        }
        var sentences = Self.takenOnce.compactMap { name -> String? in
            let (now, wanted) = (shown(start[name]), shown(self[name]))
            guard now != wanted else { return nil }
            return "--\(name) stays as it was at the start (\(now)) while the deck runs; restart it for \(wanted)"
        }
        if let token = start["token-file"], token.isOn, self["token-file"]?.isOn != true, self["token"]?.isOn != true {
            sentences.append(
                "no --token-file is given any more, so the old token stays; restart the deck to be without it"
            )
        }
        return sentences
    }
}
