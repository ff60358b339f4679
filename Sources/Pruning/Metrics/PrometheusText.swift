/// Builds metrics in Prometheus' text format, one metric at a time.
struct PrometheusText: CustomStringConvertible {
    /// The metric's type.
    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    /// One value. `suffix` is appended to the name, as for the parts of a histogram.
    struct Sample {
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        let value: Double
    }

    private(set) var description = ""

    /// Adds a metric; does nothing when it has no samples.
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
    /// The text escaped for a label's value.
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
    /// The number, without a decimal point if it is whole.
    fileprivate var text: String {
        Int64(exactly: self).map(String.init) ?? "\(self)"
    }
}
