import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// The keys for the delay and speed of an answer.
    struct PacingKeys {
        var delay: YAMLNode?
        var bandwidth: YAMLNode?
        var dribble: YAMLNode?
    }

    mutating func readPacing(_ keys: PacingKeys) -> Pacing {
        Pacing(
            delay: keys.delay.flatMap { self.readDelay($0) },
            bandwidth: keys.bandwidth.flatMap { self.readBandwidth($0) },
            dribble: keys.dribble.flatMap { self.readDribble($0) }
        )
    }

    // MARK: Delays

    /// The forms of a delay, apart from a time.
    private static let delayForms =
        "{ uniform: [100ms, 2s] }, { normal: 300ms, deviation: 50ms }, { logNormal: 300ms, sigma: 0.4 } "
        + "or { recorded: 1 }"

    mutating func readDelay(_ node: YAMLNode) -> Pacing.Delay? {
        switch node.kind {
        case .scalar: return self.time(node, "delay").map(Pacing.Delay.fixed)
        case .sequence: break
        case .mapping:
            let keys = Set(node.pairs.map(\.key.string))
            if keys == ["uniform"], let range = node["uniform"] { return self.readUniform(range) }
            if keys == ["recorded"], let factor = node["recorded"] {
                return self.factor(factor, "recorded").map { .recorded(factor: $0) }
            }
            if keys == ["normal", "deviation"], let mean = node["normal"], let deviation = node["deviation"] {
                guard let mean = self.time(mean, "normal"), let deviation = self.time(deviation, "deviation") else {
                    return nil
                }
                return .normal(mean: mean, deviation: deviation)
            }
            if keys == ["logNormal", "sigma"], let median = node["logNormal"], let sigma = node["sigma"] {
                guard let median = self.time(median, "logNormal"), let sigma = self.factor(sigma, "sigma") else {
                    return nil
                }
                return .logNormal(median: median, sigma: sigma)
            }
        }
        self.error(node, "`delay` is a time, such as 200ms or 2s, or one of \(Self.delayForms)")
        return nil
    }

    private mutating func readUniform(_ node: YAMLNode) -> Pacing.Delay? {
        let ends = Array(node.items)
        guard ends.count == 2 else {
            self.error(node, "`uniform` has two times, the shortest and the longest: [100ms, 2s]")
            return nil
        }
        guard let from = self.time(ends[0], "uniform"), let to = self.time(ends[1], "uniform") else { return nil }
        guard from <= to else {
            self.error(ends[1], "the longest time of `uniform` is below the shortest: write [\(ends[1].string), …]")
            return nil
        }
        return .uniform(from: from, to: to)
    }

    /// In milliseconds.
    mutating func time(_ node: YAMLNode, _ what: String) -> Int? {
        guard let text = self.text(node, what) else { return nil }
        do throws(TimeSpan.Problem) {
            let span = try TimeSpan(text)
            guard span.milliseconds <= 3_600_000 else {
                self.error(node, "`\(what)` is longer than an hour; write at most 1h")
                return nil
            }
            return Int(span.milliseconds)
        } catch {
            self.error(node, "`\(what)`: \(error.description)")
            return nil
        }
    }

    private mutating func factor(_ node: YAMLNode, _ what: String) -> Double? {
        if let number = node.double, number.isFinite, number >= 0, number <= 1_000 { return number }
        self.error(node, "`\(what)` is a number from 0 to 1000, such as 1.5")
        return nil
    }

    // MARK: Speeds

    /// Bytes in a second for each unit; the largest that divides a number is the one it is written in.
    static let speeds: [(unit: String, bytes: Int)] = [
        ("GB/s", 1_000_000_000), ("GiB/s", 1 << 30), ("MB/s", 1_000_000), ("MiB/s", 1 << 20), ("kB/s", 1_000),
        ("KiB/s", 1 << 10), ("B/s", 1),
    ]

    private mutating func readBandwidth(_ node: YAMLNode) -> Int? {
        let text = node.string
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text[digits.endIndex...].trimmingSpaces())
        let factor = unit.isEmpty ? 1 : Self.speeds.first { $0.unit == unit }?.bytes
        guard let number = Int(digits), number >= 1, number <= 1_000_000_000, let factor else {
            let near = Self.hint(unit, among: Self.speeds.map(\.unit))
            self.error(
                node,
                "`bandwidth` is a whole number and a unit, such as 50 kB/s, 64 KiB/s or 1 MB/s"
                    + (factor == nil ? near : "")
            )
            return nil
        }
        return number * factor
    }

    private mutating func readDribble(_ node: YAMLNode) -> Pacing.Dribble? {
        guard node.kind == .mapping, let pieces = node["pieces"], let over = node["over"] else {
            self.error(node, "`dribble` has pieces and over: { pieces: 5, over: 2s }")
            return nil
        }
        self.checkKeys(node, CassetteKeys.dribble, of: "`dribble`")
        guard let count = self.count(pieces, "pieces", 1...1_000_000), let time = self.time(over, "over") else {
            return nil
        }
        return Pacing.Dribble(pieces: count, milliseconds: time)
    }
}
