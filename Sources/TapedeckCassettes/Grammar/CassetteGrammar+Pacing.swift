import TapedeckCore
import TapedeckYAML

// The delay and speed of an answer.

extension Codec where Value == Pacing.Delay {
    static var delay: Self {
        Codec(
            .either([
                .time, .pairs([("uniform", .list(.time))]), .pairs([("normal", .time), ("deviation", .time)]),
                .pairs([("logNormal", .time), ("sigma", .number)]), .pairs([("recorded", .number)]),
            ]),
            read: { reader, node, _ in reader.readDelay(node) },
            inline: { writer, delay in
                switch delay {
                case .fixed(let time): writer.time(time)
                case .uniform(let from, let to):
                    writer.flowMapping { $0.pair("uniform") { $0.flowList([from, to]) { $0.time($1) } } }
                case .normal(let mean, let deviation):
                    writer.flowMapping { writer in
                        writer.pair("normal") { $0.time(mean) }
                        writer.pair("deviation") { $0.time(deviation) }
                    }
                case .logNormal(let median, let sigma):
                    writer.flowMapping { writer in
                        writer.pair("logNormal") { $0.time(median) }
                        writer.pair("sigma") { $0.number(sigma) }
                    }
                case .recorded(let factor): writer.flowMapping { $0.pair("recorded") { $0.number(factor) } }
                }
            }
        )
    }
}

extension Codec where Value == Int {
    /// In bytes per second, written in the largest unit that divides it.
    static var bandwidth: Self {
        let units = speeds.map(\.unit).joined(separator: "|")
        return Codec(
            .either([.integer(1...1_000_000_000), .matching("^[0-9]+ ?(\(units))?$")]),
            read: { reader, node, _ in reader.readBandwidth(node) },
            inline: { writer, bandwidth in
                let speed = speeds.first { bandwidth.isMultiple(of: $0.bytes) }
                writer.yaml.int(bandwidth / (speed?.bytes ?? 1))
                writer.yaml.raw(" \(speed?.unit ?? "B/s")")
            }
        )
    }
}

extension Codec where Value == Pacing.Dribble {
    static var dribble: Self {
        Codec(
            .pairs([("pieces", .integer(1...1_000_000)), ("over", .time)]),
            read: { reader, node, _ in reader.readDribble(node) },
            inline: { writer, dribble in
                writer.flowMapping { writer in
                    writer.pair("pieces") { $0.yaml.int(dribble.pieces) }
                    writer.pair("over") { $0.time(dribble.milliseconds) }
                }
            }
        )
    }
}

/// Bytes in a second for each unit.
private let speeds: [(unit: String, bytes: Int)] = [
    ("GB/s", 1_000_000_000), ("GiB/s", 1 << 30), ("MB/s", 1_000_000), ("MiB/s", 1 << 20), ("kB/s", 1_000),
    ("KiB/s", 1 << 10), ("B/s", 1),
]

extension CassetteReader {
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

    fileprivate mutating func readBandwidth(_ node: YAMLNode) -> Int? {
        let text = node.string
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text[digits.endIndex...].trimmingSpaces())
        let factor = unit.isEmpty ? 1 : speeds.first { $0.unit == unit }?.bytes
        guard let number = Int(digits), number >= 1, number <= 1_000_000_000, let factor else {
            let near = Self.hint(unit, among: speeds.map(\.unit))
            self.error(
                node,
                "`bandwidth` is a whole number and a unit, such as 50 kB/s, 64 KiB/s or 1 MB/s"
                    + (factor == nil ? near : "")
            )
            return nil
        }
        return number * factor
    }

    fileprivate mutating func readDribble(_ node: YAMLNode) -> Pacing.Dribble? {
        guard node.kind == .mapping, let pieces = node["pieces"], let over = node["over"] else {
            self.error(node, "`dribble` has pieces and over: { pieces: 5, over: 2s }")
            return nil
        }
        self.checkKeys(node, ["pieces", "over"], of: "`dribble`")
        guard let count = self.count(pieces, "pieces", 1...1_000_000), let time = self.time(over, "over") else {
            return nil
        }
        return Pacing.Dribble(pieces: count, milliseconds: time)
    }
}
