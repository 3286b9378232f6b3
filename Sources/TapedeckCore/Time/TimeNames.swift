/// English names of days and months, the only ones that HTTP knows.
enum TimeNames {
    /// From Sunday on, as ``CivilTime/weekday`` counts.
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    /// January first.
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// The first three letters, as HTTP dates have them.
    static func short(_ name: String) -> String { String(name.prefix(3)) }

    /// The place of a name among `names`, and whether it is the short form; case does not matter.
    static func find(_ word: String, among names: [String]) -> (index: Int, isShort: Bool)? {
        for (index, name) in names.enumerated() {
            if ASCII.equalsIgnoringCase(word, self.short(name)) { return (index, true) }
            if ASCII.equalsIgnoringCase(word, name) { return (index, false) }
        }
        return nil
    }
}
