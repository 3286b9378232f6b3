import Foundation
import Testing

/// A page in the text format of Prometheus, version 0.0.4, read strictly: what that format does not allow is an error.
struct MetricsPage {
    struct Invalid: Error, CustomStringConvertible {
        var description: String
    }

    /// The metrics with a type.
    private(set) var types: [String: String] = [:]
    /// By name and labels, the labels in the order of their names: `requests_total{mode="replay",outcome="played"}`.
    private(set) var samples: [String: Double] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Invalid(description: "the last line does not end") }
        var helped: Set<String> = []
        var metric = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let found = line.wholeMatch(of: #/# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (?:[^\\]|\\\\|\\n)+/#) {
                metric = String(found.1)
                guard helped.insert(metric).inserted else { throw Invalid(description: "told twice: \(line)") }
            } else if let found = line.wholeMatch(of: #/# TYPE ([^ ]+) (counter|gauge|histogram)/#) {
                guard metric == found.1, self.types[metric] == nil else {
                    throw Invalid(description: "a type in the wrong place: \(line)")
                }
                self.types[metric] = String(found.2)
            } else {
                try self.read(line, of: metric)
            }
        }
        try self.checkHistograms()
    }

    private mutating func read(_ line: Substring, of metric: String) throws {
        let number = #/[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN/#
        guard let found = line.wholeMatch(of: #/([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/#),
            found.3.wholeMatch(of: number) != nil, let value = Double(found.3)
        else { throw Invalid(description: "no sample: \(line)") }
        let suffixes = self.types[metric] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { found.1 == metric + $0 }), self.types[metric] != nil else {
            throw Invalid(description: "not a sample of \(metric): \(line)")
        }
        if self.types[metric] == "counter", !metric.hasSuffix("_total") {
            throw Invalid(description: "a counter without _total: \(line)")
        }
        var labels: [(String, String)] = []
        var rest = found.2 ?? ""
        while !rest.isEmpty {
            let pair = #/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(?:,(?=.)|$)/#
            guard let label = rest.prefixMatch(of: pair) else { throw Invalid(description: "no labels: \(line)") }
            labels.append((String(label.1), String(label.2)))
            rest = rest[label.range.upperBound...]
        }
        guard Set(labels.map(\.0)).count == labels.count else { throw Invalid(description: "a label twice: \(line)") }
        let key = Self.key(String(found.1), labels)
        guard self.samples.updateValue(value, forKey: key) == nil else {
            throw Invalid(description: "a sample twice: \(line)")
        }
    }

    private static func key(_ name: String, _ labels: [(String, String)]) -> String {
        let pairs = labels.sorted { $0.0 < $1.0 }.map { "\($0.0)=\"\($0.1)\"" }
        return pairs.isEmpty ? name : "\(name){\(pairs.joined(separator: ","))}"
    }

    /// Buckets must not fall, and the last one must hold all.
    private func checkHistograms() throws {
        for (name, _) in self.types where self.types[name] == "histogram" {
            var buckets: [String: [(bound: Double, count: Double)]] = [:]
            for (key, count) in self.samples where key.hasPrefix("\(name)_bucket{") {
                guard let bound = key.firstMatch(of: #/le="([^"]+)",?/#), let value = Double(bound.1) else {
                    throw Invalid(description: "a bucket without a bound: \(key)")
                }
                let rest = key.replacing(bound.0, with: "").replacing(",}", with: "}")
                    .replacing("_bucket", with: "_count")
                buckets[rest, default: []].append((value, count))
            }
            for (series, buckets) in buckets {
                let counts = buckets.sorted { $0.bound < $1.bound }
                guard counts.last?.bound == .infinity, counts.last?.count == self.samples[series],
                    zip(counts, counts.dropFirst()).allSatisfy({ $0.count <= $1.count }),
                    self.samples[series.replacing("_count", with: "_sum")] != nil
                else { throw Invalid(description: "the buckets of \(series) do not add up: \(counts)") }
            }
        }
    }

    /// The value, or 0 if it is missing.
    subscript(key: String) -> Double { self.samples[key] ?? 0 }

    func requests(_ mode: String, _ outcome: String) -> Int {
        Int(self["tapedeck_requests_total{mode=\"\(mode)\",outcome=\"\(outcome)\"}"])
    }
}

extension ControlAPI {
    /// Returns the current metrics.
    func metrics() throws -> MetricsPage {
        let answer = try self.ask("GET", "/metrics")
        try #require(answer.status == 200, "\(answer.text)")
        #expect(answer.head.contains(try Regex("(?i)content-type: text/plain; version=0\\.0\\.4; charset=utf-8")))
        return try MetricsPage(answer.text)
    }
}
