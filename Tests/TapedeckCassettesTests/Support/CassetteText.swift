/// Whole cassettes around a part that a test is about.
enum CassetteText {
    private static func indented(_ lines: String, by count: Int) -> String {
        lines.replacing("\n", with: "\n" + String(repeating: " ", count: count))
    }

    /// One set with one variant with one take, whose lines are given.
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

    /// One set with one variant, whose lines are given.
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

    /// One set whose request's lines are given.
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
