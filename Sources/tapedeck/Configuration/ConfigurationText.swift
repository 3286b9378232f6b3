import TapedeckControlClient
import TapedeckCore
import TapedeckDeck

/// The options in force, for people and for programs. Secrets are never in it.
struct ConfigurationText {
    /// One option in the JSON output.
    struct Row: Encodable {
        var name: String
        /// The value given; a flag has `on` or `off`. `nil` for a repeatable option.
        var value: String?
        /// Those of an option that may be given several times.
        var values: [String]?
        /// `flag`, `environment`, `file` or `default`.
        var source: String
        /// The exact place: the variable, or the line of the file.
        var place: String?
        var isSecret: Bool
        /// The variable of the environment that says it.
        var variable: String
        /// The key in the project file.
        var key: String?
        /// The separator of several values in the variable: `commas` or `lines`.
        var separator: String?
        var defaultText: String
        /// Sentences for people.
        var help: String
    }

    struct Document: Encodable {
        var command: String
        var options: [Row]
    }

    let layers: OptionLayers
    /// True to print only values that differ from the defaults.
    let isShort: Bool

    private var settings: [OptionSetting] {
        self.layers.settings.filter { !self.isShort || $0.source != .byDefault }
    }

    /// Names, values and sources, aligned.
    var table: String {
        let rows = self.settings.map { setting in
            let beside = setting.beside.map { " and \($0.source.shown)" } ?? ""
            return [setting.option.name, Self.value(of: setting), setting.source.shown + beside]
        }
        return rows.isEmpty ? "Everything is as by default." : TextTable.aligned(rows).joined(separator: "\n")
    }

    var document: Document {
        Document(command: self.layers.command, options: self.settings.map(Self.row))
    }

    private static func row(_ setting: OptionSetting) -> Row {
        let option = setting.option
        var row = Row(
            name: option.name,
            value: setting.source == .byDefault ? nil : self.value(of: setting),
            source: "default",
            isSecret: option.isSecret,
            variable: option.variable,
            key: option.key,
            defaultText: option.defaultText,
            help: option.help
        )
        if case .repeated(let separator) = option.kind {
            (row.value, row.values) = (nil, self.values(of: setting))
            row.separator = separator.rawValue
        }
        switch setting.source {
        case .commandLine: row.source = "flag"
        case .environment(let variable): (row.source, row.place) = ("environment", variable)
        case .project(let place, _): (row.source, row.place) = ("file", place)
        case .byDefault: break
        }
        return row
    }

    private static func value(of setting: OptionSetting) -> String {
        if setting.source == .byDefault { return setting.option.defaultText }
        switch setting.option.kind {
        case .flag, .switchable: return setting.isOn ? "on" : "off"
        case .value, .variable:
            // The last one counts, as for the parser.
            return self.values(of: setting).last ?? ""
        case .repeated: return self.values(of: setting).joined(separator: "  ")
        }
    }

    private static func values(of setting: OptionSetting) -> [String] {
        let values = setting.values + (setting.beside?.values ?? [])
        return setting.option.isSecret ? values.map { _ in "(set)" } : values.map(self.withoutPassword)
    }

    /// A URL without the password in it: `http://me:***@proxy.example`.
    static func withoutPassword(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        let name = authority[..<at].prefix { $0 != ":" }
        let shown = name.endIndex == at ? "***" : "\(name):***"
        return "\(text[..<authority.startIndex])\(shown)\(text[at...])"
    }
}
