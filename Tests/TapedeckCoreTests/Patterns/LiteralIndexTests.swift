import TapedeckCore
import Testing

@Suite("The index of literals")
struct LiteralIndexTests {
    private func candidates(_ index: LiteralIndex, _ text: String) -> [Int] {
        Array(text.utf8).withUnsafeBytes { index.candidates(in: $0) }
    }

    private func literals(_ prefix: String, _ pieces: String...) -> RequiredLiterals {
        RequiredLiterals(prefix: Array(prefix.utf8), pieces: pieces.map { Array($0.utf8) })
    }

    @Test func `Of ten thousand patterns only those whose text occurs are candidates`() {
        let index = LiteralIndex((0..<10_000).map { self.literals("https://api.x.com/", "/item\($0)/") })
        #expect(self.candidates(index, "https://api.x.com/a/item4711/b") == [4711])
        #expect(self.candidates(index, "https://api.x.com/a/item47110/b") == [])
        #expect(self.candidates(index, "http://api.x.com/a/item4711/b") == [])
        #expect(self.candidates(index, "https://api.x.com/item1/item22/item333/") == [1, 22, 333])
        #expect(index.count == 10_000)
    }

    @Test func `Patterns without enough literal text are always candidates, in order with the others`() {
        let index = LiteralIndex([
            self.literals("/one/two"), RequiredLiterals(), self.literals("", "abc"), self.literals("", "/two"),
            self.literals("/six/"),
        ])
        #expect(self.candidates(index, "/one/two/three") == [0, 1, 2, 3])
        #expect(self.candidates(index, "") == [1, 2])
        #expect(self.candidates(index, "/six/one/two") == [1, 2, 3, 4])
        #expect(self.candidates(LiteralIndex([]), "/one") == [])
    }

    @Test func `A prefix counts at the beginning only`() {
        let index = LiteralIndex([self.literals("/abcd")])
        #expect(self.candidates(index, "/abcd/x") == [0])
        #expect(self.candidates(index, "/x/abcd") == [])
        #expect(self.candidates(index, "/x/abcd/abcd") == [])
    }

    @Test func `Patterns with common text are reported, to be compiled on loading`() {
        let index = LiteralIndex((0..<100).map { _ in self.literals("https://api.x.com/") } + [self.literals("/alone")])
        #expect(index.crowded.sorted() == Array(0..<100))
        #expect(LiteralIndex(Array(repeating: RequiredLiterals(), count: 100)).crowded.count == 100)
        #expect(LiteralIndex((0..<100).map { self.literals("/item\($0)/") }).crowded == [])
    }

    @Test func `A subject full of one gram loses no candidate`() {
        let index = LiteralIndex((0..<2000).map { self.literals("", "aaaa\($0)b") })
        let noise = String(repeating: "aaaa", count: 30_000)
        let found = self.candidates(index, noise + "aaaa7b" + noise + "aaaa1999b")
        #expect(Set(found).isSuperset(of: [7, 1999]))
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `Few candidates and many are each listed once, in order`() {
        for count in [1, 16, 17, 64, 65, 1000] {
            // All are found by one gram, which the subject has twice. The last one never matches, so that the others are met
            // again at the second.
            let literals = (0..<count).map { _ in self.literals("", "/abcd") } + [self.literals("no", "/abcd")]
            #expect(self.candidates(LiteralIndex(literals), "/abcd/abcd") == Array(0..<count))
            // Each is found by a gram of its own.
            let texts = (0..<count).map { "/n\(1000 + $0)/" }
            let index = LiteralIndex(texts.map { self.literals("", $0) })
            #expect(self.candidates(index, texts.joined() + texts.joined()) == Array(0..<count))
        }
    }

    @Test func `No pattern whose text occurs is missed`() {
        var random = SeededRandom(seed: 2)
        func text(_ lengths: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: lengths, using: &random)).map { _ in "ab/".utf8.randomElement(using: &random) ?? 0 }
        }
        var hits = 0
        for _ in 0..<60 {
            let literals = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                RequiredLiterals(
                    prefix: text(0...6),
                    pieces: (0..<Int.random(in: 0...3, using: &random)).map { _ in text(1...7) }
                )
            }
            let index = LiteralIndex(literals)
            for _ in 0..<20 {
                let subject = text(0...60)
                let candidates = subject.withUnsafeBytes { index.candidates(in: $0) }
                #expect(zip(candidates, candidates.dropFirst()).allSatisfy { $0 < $1 })
                let string = String(decoding: subject, as: UTF8.self)
                for (number, required) in literals.enumerated()
                where subject.starts(with: required.prefix)
                    && required.pieces.allSatisfy({ string.contains(String(decoding: $0, as: UTF8.self)) })
                {
                    hits += 1
                    #expect(candidates.contains(number))
                }
            }
        }
        #expect(hits > 1000)
    }
}
