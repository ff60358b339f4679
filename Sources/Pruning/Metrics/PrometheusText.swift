/// Metrics in the text format that Prometheus reads, metric by metric.
struct PrometheusText: CustomStringConvertible {
    /// What a metric's values mean over time.
    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    /// One value. `suffix` is what a histogram adds to its name.
    struct Sample {
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        let value: Double
    }

    private(set) var description = ""

    /// Adds a metric; one without values is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        description += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\($0.value.escaped)\"" }.joined(separator: ",")
            let braces = labels.isEmpty ? "" : "{\(labels)}"
            description += "\(name)\(sample.suffix)\(braces) \(sample.value.text)\n"
        }
    }
}

extension String {
    /// The text as a label's value.
    fileprivate var escaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Double {
    /// The number without a fraction where it has none.
    fileprivate var text: String {
        Int64(exactly: self).map(String.init) ?? "\(self)"
    }
}
