/// Cassettes that tests write by hand.
enum Cassettes {
    /// One response set for `http://api.example.com/users`.
    static let users = """
        tapedeck: 1
        responseSets:
          - name: users
            request:
              method: GET
              url: http://api.example.com/users
            variants:
              - name: found
                takes:
                  - status: 200
                    headers:
                      - Content-Type: text/plain
                    body:
                      text: ada

        """
    static let usersURL = "http://api.example.com/users"

    /// One response set for `url`, answering `text`.
    static func answering(_ url: String, _ text: String) -> String {
        self.users.replacing("http://api.example.com/users", with: url).replacing("text: ada", with: "text: \(text)")
    }
}
