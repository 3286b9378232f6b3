import TapedeckRedaction

/// Gives the numbers of a vault their final names: the name of the first place, with `-2`, `-3` for further secrets of it.
struct SecretNames {
    private var taken: Set<String>
    private var names: [Int: String] = [:]
    /// The names that were given, in order.
    private(set) var given: [(number: Int, name: String)] = []

    /// - Parameter taken: names that other secrets have already.
    init(taken: Set<String>) {
        self.taken = taken
    }

    mutating func final(_ placeholder: SecretPlaceholder) -> SecretPlaceholder {
        guard let number = placeholder.number else { return placeholder }
        if let name = self.names[number] { return SecretPlaceholder(name: name, form: placeholder.form) }
        var name = placeholder.name
        var count = 2
        while self.taken.contains(name) {
            name = "\(placeholder.name)-\(count)"
            count += 1
        }
        self.taken.insert(name)
        self.names[number] = name
        self.given.append((number, name))
        return SecretPlaceholder(name: name, form: placeholder.form)
    }
}
