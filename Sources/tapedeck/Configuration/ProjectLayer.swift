import TapedeckCassettes
import TapedeckDeck

/// The options in the project file.
struct ProjectLayer {
    let values: ProjectOptionValues

    /// Checks the keys of `deck:`.
    ///
    /// - Throws: `DeckError` for a key that is not an option, or belongs elsewhere in the file.
    init(_ values: ProjectOptionValues) throws(DeckError) {
        self.values = values
        for entry in values.entries where entry.key.hasPrefix("deck.") {
            let name = String(entry.key.dropFirst("deck.".count))
            guard let option = DeckOption.table.first(where: { $0.keyName == name }) else {
                let keys = DeckOption.table.filter { $0.place == .deck }.map(\.keyName)
                throw values.error(
                    entry,
                    "`deck` has no key `\(name)`\(Suggestion.hint(name, among: keys) { "`\($0)`" })"
                )
            }
            switch option.place {
            case .deck: continue
            case .section(let key, _):
                let words = key.split(separator: ".")
                let remedy =
                    words.count == 1 ? "write `\(key):` outside of it" : "write `\(words[1])` under `\(words[0]):`"
                throw values.error(entry, "`deck` has no key `\(name)`; \(remedy)")
            case .nowhere:
                throw values.error(entry, "`\(name)` cannot stand in the project file; set \(option.variable)")
            }
        }
    }

    /// The setting of an option, if the file has it.
    ///
    /// - Throws: `DeckError` for a list where one value belongs, and for a flag that is neither true nor false.
    func setting(of option: DeckOption) throws(DeckError) -> OptionSetting? {
        guard let key = option.key, let entry = self.values.entries.first(where: { $0.key == key }) else { return nil }
        var setting = OptionSetting(
            option: option,
            source: .project(place: self.values.place(of: entry), key: key)
        )
        setting.values = option.isPath ? entry.values.map(self.values.besideFile) : entry.values
        switch option.kind {
        case .flag, .switchable:
            guard !entry.isList, let isOn = ["true": true, "false": false][entry.values.joined().lowercased()] else {
                throw self.values.error(entry, "`\(option.keyName)` is true or false")
            }
            (setting.isOn, setting.values) = (isOn, [])
        case .value, .variable:
            guard entry.isList else { break }
            // Other sections have lists where the option has commas.
            guard case .section = option.place else {
                throw self.values.error(entry, "`\(option.keyName)` takes one value, not a list")
            }
            setting.values = [entry.values.joined(separator: ",")]
        case .repeated: break
        }
        return setting
    }
}
