/// Whole cassettes around a part that a test is about.
enum CassetteText {
    private static func indented(_ lines: String, by count: Int) -> String {
        lines.replacing("\n", with: "\n" + String(repeating: " ", count: count))
    }

    /// Returns one set with one variant with one take of the given lines.
    static func take(_ lines: String) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: a
            request:
              url: https://a.test/
            variants:
              - name: b
                takes:
                  - \(self.indented(lines, by: 12))

        """
    }

    /// Returns one set with one variant of the given lines.
    static func variant(_ lines: String) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: a
            request:
              url: https://a.test/
            variants:
              - \(self.indented(lines, by: 8))

        """
    }

    /// Returns one set with a request of the given lines.
    static func request(_ lines: String) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: a
            request:
              \(self.indented(lines, by: 6))
            variants:
              - name: b
                takes:
                  - status: 200

        """
    }

    /// Sets whose lines are given.
    static func sets(_ sets: String...) -> String {
        "tapedeck: 1\nresponseSets:\n" + sets.map { "  - \(self.indented($0, by: 4))\n" }.joined()
    }
}
