import Foundation

/// A metrics file, read at once.
struct MetricsReading {
    private let lines: [Substring]

    static let hasPromtool = access("/usr/bin/promtool", X_OK) == 0

    init(_ path: String) throws {
        lines = try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    /// Whether it begins and ends as it should.
    var isWhole: Bool {
        lines.first?.hasPrefix("# Metrics of the state directory /") == true && lines.last == ""
            && lines.dropLast().last?.hasPrefix("pruned_build_info{") == true
    }

    /// The value of a metric, by its name and labels as they stand in the file.
    subscript(series: String) -> Double? {
        lines.first { $0.hasPrefix(series + " ") }.flatMap { Double($0.dropFirst(series.count + 1)) }
    }
}
