import TapedeckCassettes
import TapedeckCore

extension RandomCassette {
    mutating func behaviour(naming names: [String], depth: Int) -> Behaviour {
        let names = names + ["offline", "server-error"]
        var behaviour = Behaviour(self.answer(naming: names, depth: depth))
        guard Bool.random(using: &self.generator) else { return behaviour }
        switch behaviour.answer {
        case .takes, .sequence:
            behaviour.after = self.one(of: [.repeatLast, .cycle, .unmatched, .variant(self.one(of: names))])
        case .variant:
            behaviour.isTemplate = Bool.random(using: &self.generator)
        case .passthrough:
            behaviour.pacing.delay = self.maybe { $0.delay() }
            behaviour.sets = self.state()
            return behaviour
        // No file holds requests.
        case .random, .conditional, .hold:
            break
        }
        behaviour.pacing = Pacing(
            delay: self.maybe { $0.delay() },
            bandwidth: self.maybe { $0.one(of: [1, 999, 1_000, 1_024, 50_000, 3 << 20, 7_000_000, 1 << 30]) },
            dribble: self.maybe { random in
                Pacing.Dribble(pieces: random.one(of: [1, 5]), milliseconds: random.milliseconds())
            }
        )
        behaviour.changes = self.maybe { [.merge($0.jsonValue(depth: 0))] } ?? []
        behaviour.changes += self.distinct(0...2) { $0.path().description }
            .compactMap { try? JSONPath($0) }
            .map { .fuzz(self.one(of: JSONFuzz.allCases), at: $0) }
        behaviour.sets = self.state()
        return behaviour
    }

    private mutating func answer(naming names: [String], depth: Int) -> Behaviour.Answer {
        let deep = depth < 2
        switch Int.random(in: 0...(deep ? 7 : 4), using: &self.generator) {
        case 0: return .variant(self.one(of: names))
        case 1: return .passthrough
        case 2:
            let fault = self.one(of: Fault.allCases)
            var take = Take(fault: fault, faultOptions: self.options(of: fault))
            if take.isFaultAlone { take.urlError = self.one(of: [nil] + URLErrorCode.allCases) }
            return .takes([take])
        case 5:
            return .sequence(
                self.list(1...3) { random in
                    var part = random.behaviour(naming: names, depth: depth + 1)
                    part.times = random.maybe { Int.random(in: 1...9, using: &$0.generator) }
                    return part
                }
            )
        case 6:
            return .random(
                self.list(1...3) { random in
                    let weight = Int.random(in: 1...3, using: &random.generator)
                    return Behaviour.Weighted(weight: weight, random.behaviour(naming: names, depth: depth + 1))
                }
            )
        case 7:
            return .conditional(
                when: self.condition(depth: 1),
                then: self.behaviour(naming: names, depth: depth + 1),
                otherwise: self.maybe { $0.behaviour(naming: names, depth: depth + 1) }
            )
        default: return .takes(self.list(1...3) { $0.take() })
        }
    }

    mutating func delay() -> Pacing.Delay {
        let time = self.milliseconds()
        switch Int.random(in: 0...4, using: &self.generator) {
        case 0: return .fixed(time)
        case 1: return .uniform(from: min(time, 1_500), to: max(time, 1_500))
        case 2: return .normal(mean: time, deviation: self.milliseconds())
        case 3: return .logNormal(median: time, sigma: self.one(of: [0, 0.4, 1e-5, 0.1 + 0.2, 3]))
        default: return .recorded(factor: self.one(of: [1, 1.5, 0, 12.25]))
        }
    }

    private mutating func milliseconds() -> Int {
        self.one(of: [0, 1, 250, 1_500, 61_001, 3_600_000])
    }
}
