/// A cassette as a recording writes it, with three requests of which two are another in each run.
enum RecordedCassette {
    static let usersURL = "http://api.example.com/users"

    static func text(time: Int = 1_763_719_200, nonce: String = "7f3c1a9be2d4", user: String = "ada") -> String {
        """
        tapedeck: 1
        # what the app asks for
        responseSets:
          # everybody
          - name: users
            request: { method: GET, url: \(self.usersURL) }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    headers:
                      - Content-Type: application/json
                    body: { json: '{"name": "\(user)"}' }
                    recorded: 2026-11-21T10:00:00Z, answered in 12 ms

          # asked for now and then
          - name: poll
            request: { method: GET, url: "http://api.example.com/poll?ts=\(time)" }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    body: { file: x/poll-0123456789ab.txt }
                    recorded: 2026-11-21T10:00:01Z, answered in 12 ms
          - name: order
            request:
              method: POST
              url: http://api.example.com/orders
              body: { json: '{"item": "tea", "count": 2, "nonce": "\(nonce)"}' }
            variants:
              - name: recorded
                takes:
                  - status: 201
                    recorded: 2026-11-21T10:00:02Z, answered in 12 ms
          - name: teapot
            request: { method: GET, url: "http://api.example.com/teapot" }
            variants:
              - { name: by hand, empty: 418 }

        """
    }

    /// In a folder of its own, as the cassette `x`.
    static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(self.text(), to: "cassettes/x.yaml")
        try folder.write("nothing new", to: "cassettes/x/poll-0123456789ab.txt")
        return folder
    }
}
