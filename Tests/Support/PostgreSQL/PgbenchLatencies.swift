import Foundation

/// How long pgbench's transactions took. With a rate they are counted from when they should have begun.
package struct PgbenchLatencies: Sendable {
    private struct Transaction {
        let end: Double
        let milliseconds: Double
    }

    /// In the order of their times.
    private let transactions: [Transaction]
    /// What pgbench said at its end.
    package let summary: String

    /// From its logs: `client number microseconds script second microsecond [lag]`.
    init(filesIn directory: String, summary: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let lines = try names.filter { $0.hasPrefix("log.") }.flatMap { name in
            try String(contentsOfFile: directory + "/" + name, encoding: .utf8).split(separator: "\n")
        }
        let all = lines.compactMap { line -> Transaction? in
            let numbers = line.split(separator: " ").map { Double($0) ?? .nan }
            guard numbers.count > 5, !numbers[2].isNaN else { return nil }
            return Transaction(end: numbers[4] + numbers[5] / 1e6, milliseconds: numbers[2] / 1_000)
        }
        self.init(all, summary)
    }

    private init(_ transactions: [Transaction], _ summary: String) {
        self.transactions = transactions.sorted { $0.milliseconds < $1.milliseconds }
        self.summary = summary
    }

    /// Those of transactions that ended from `start` to `end`, in seconds since 1970.
    package func between(_ start: Double, _ end: Double) -> PgbenchLatencies {
        PgbenchLatencies(transactions.filter { $0.end >= start && $0.end <= end }, summary)
    }

    /// In milliseconds, in order.
    package var milliseconds: [Double] { transactions.map(\.milliseconds) }

    /// The time in milliseconds that so many per cent of the transactions took at most.
    package func percentile(_ percent: Double) -> Double {
        let place = Int((Double(transactions.count) * percent / 100).rounded(.up)) - 1
        guard !transactions.isEmpty else { return .nan }
        return transactions[min(max(0, place), transactions.count - 1)].milliseconds
    }
}
