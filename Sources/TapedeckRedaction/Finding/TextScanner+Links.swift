import TapedeckCore

/// Secrets in the paths of URLs, and in commands that texts show.
extension TextScanner {
    // MARK: Links

    /// Segments in front of a token that lets whoever has the link do something, by hash.
    private static let linkWords = Set(
        """
        reset resetpassword passwordreset recover recovery confirm confirmation confirmations confirmemail verify verification \
        verifyemail emailverification activate activation invite invites invitation invitations acceptinvite unsubscribe magic \
        magiclink loginlink signinlink unlock setpassword newpassword activateaccount join onetime password passwords login
        """.split { $0 == " " }.map { FieldName.hash($0.utf8) }
    )

    /// `https://app.example.com/reset/TOKEN` and `/reset/TOKEN`, from the slash in front of the path.
    mutating func link(from start: Int) {
        var index = start
        // The last segments that may be such a word: most paths have no token behind them.
        var words: (last: Range<Int>, other: Range<Int>) = (start..<start, start..<start)
        while index < self.text.count, self.text[index] == ASCII.slash {
            var end = index + 1
            while end < self.text.count, ASCII.isUnreserved(self.text[end]) { end += 1 }
            // A sentence may end behind it.
            var segmentEnd = end
            while segmentEnd > index + 1, self.text[segmentEnd - 1] == UInt8(ascii: ".") { segmentEnd -= 1 }
            let segment = (index + 1)..<segmentEnd
            if segment.count >= 16, segment.count <= 1024, self.rules.isOn("oauth"),
                let word = self.linkWord(words.last) ?? self.linkWord(words.other), self.isLinkToken(segment)
            {
                self.add(segment, "\(FieldName.placeholder(self.text[word]))_token", "oauth")
            }
            // The id of a user may stand in between.
            words = (segment, segment.count <= 8 ? words.last : segment)
            index = end
        }
    }

    private func linkWord(_ segment: Range<Int>) -> Range<Int>? {
        (4...32).contains(segment.count) && Self.linkWords.contains(FieldName.hash(self.text[segment])) ? segment : nil
    }

    private func isLinkToken(_ segment: Range<Int>) -> Bool {
        let value = self.text[segment]
        return ValueLook.isTokenLike(value, atLeast: 16) && !ValueLook.isUUID(value) && !ValueLook.isAddress(value)
            && (value.count >= 24 || Randomness.bits(value) >= ValueLook.unmistakableBits)
    }

    // MARK: Commands

    private static let longestCommand = 2048
    /// Words in the passwords of examples, such as `pass123` and `admin1`.
    private static let exampleParts = ["pass", "admin", "token", "secret", "user", "test", "demo"]

    /// `curl -u user:password`, and `--user`, in a line that continues behind backslashes.
    mutating func curl(at index: Int) {
        guard self.text.has("curl ", at: index), index >= self.commandEnd, self.rules.isOn("authorization") else {
            return
        }
        var end = index
        let limit = min(self.text.count, index + Self.longestCommand)
        while end < limit, self.text[end] != ASCII.lineFeed || self.text[end - 1] == ASCII.backslash { end += 1 }
        self.commandEnd = end
        var place = index
        while let space = self.text.slice(0..<end).index(of: ASCII.space, from: place) {
            place = space + 1
            let option = ["-u", "--user", "-U", "--proxy-user"].first { (name: StaticString) in
                self.text[place..<end].starts(
                    with: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
                )
            }
            guard let option else { continue }
            let behind = place + option.utf8CodeUnitCount
            guard behind < end, self.text[behind] == ASCII.space || self.text[behind] == ASCII.equals else { continue }
            self.userAndPassword(self.word(from: behind + 1))
        }
    }

    private mutating func userAndPassword(_ range: Range<Int>) {
        let colon = self.text[range].firstIndex(of: ASCII.colon) ?? range.upperBound
        let user = range.lowerBound..<colon
        if ValueLook.isTokenLike(self.text[user], atLeast: 16) { self.add(user, "user", "authorization") }
        guard colon < range.upperBound else { return }
        self.password((colon + 1)..<range.upperBound)
    }

    private mutating func password(_ range: Range<Int>) {
        let value = self.text[range]
        let word = ASCII.lowercased(String(decoding: value.prefix(32), as: UTF8.self))
        guard ValueLook.isSecretLike(value, isPassword: true), !Self.exampleParts.contains(where: word.contains) else {
            return
        }
        self.add(range, "password", "passwords")
    }

    /// `machine HOST login USER password PASSWORD`, in one line or several, as `.netrc` has it.
    mutating func netrc(at index: Int) {
        guard self.text.has("machine", at: index), index >= self.commandEnd, self.rules.isOn("passwords") else {
            return
        }
        var words: [Range<Int>] = []
        var end = index
        while end < self.text.count, end - index < Self.longestCommand, words.count < 8 {
            while end < self.text.count, self.text[end] <= ASCII.space { end += 1 }
            let start = end
            while end < self.text.count, self.text[end] > ASCII.space { end += 1 }
            if end > start { words.append(start..<end) }
        }
        func place(_ name: StaticString) -> Int? {
            words.firstIndex { $0.count == name.utf8CodeUnitCount && self.text.has(name, at: $0.lowerBound) }
        }
        guard place("machine") == 0, let login = place("login"), let password = place("password"), login >= 2,
            password >= 2, password + 1 < words.count
        else { return }
        self.commandEnd = words[password + 1].upperBound
        self.password(words[password + 1])
    }
}
