import Foundation

/// What a running service takes of the system, at one instant.
struct ServiceFigures {
    /// Rules that it has run.
    var runs = 0
    /// Resident memory, in KiB.
    var memory = 0
    var descriptors = 0
    var threads = 0
    /// Bytes that it has logged.
    var logged = 0
    /// The size of its ledger.
    var ledger = 0
    var historyEntries = 0

    var text: String {
        """
        \(runs) rule runs, \(memory) KiB, \(descriptors) descriptors, \(threads) threads, \(logged) bytes logged, \
        ledger of \(ledger) bytes with \(historyEntries) entries
        """
    }
}

/// What must not grow with the time that a service runs.
enum Flatness {
    /// A service that has so many is ended before the system's limit ends its work.
    static let mostDescriptors = 500
    /// Entries of the history, which has room for so many.
    static let mostEntries = 100_000
    /// Bytes of the ledger for each, with its indexes, and for all else.
    static let (entryBytes, ledgerBytes) = (1_000, 2_000_000)
    /// KiB that a service may gain after it has warmed up.
    static let memoryGain = 4096

    /// What has grown from the quarter after the warm-up to the last one.
    static func findings(_ samples: [ServiceFigures]) -> [String] {
        guard let last = samples.last, last.descriptors < mostDescriptors else {
            return ["it has \(samples.last?.descriptors ?? 0) descriptors open"]
        }
        guard samples.count >= 8 else { return ["there were too few samples"] }
        let quarter = samples.count / 4
        let (early, late) = (samples[quarter..<(2 * quarter)], samples.suffix(quarter))
        var findings: [String] = []
        func compare(_ what: String, _ value: KeyPath<ServiceFigures, Int>, gain: Int) {
            let (before, after) = (
                median(early.map { $0[keyPath: value] }), median(late.map { $0[keyPath: value] })
            )
            if after > before + gain { findings.append("\(what) grew from \(before) to \(after)") }
        }
        compare("memory", \.memory, gain: memoryGain)
        compare("the number of descriptors", \.descriptors, gain: 2)
        compare("the number of threads", \.threads, gain: 4)
        let (before, after) = (logRate(Array(early)), logRate(Array(late)))
        if after > before * 1.2 + 10 { findings.append("log bytes of a run grew from \(before) to \(after)") }
        if last.historyEntries > mostEntries + 100 {
            findings.append("\(last.historyEntries) entries of history")
        }
        if last.ledger > ledgerBytes + last.historyEntries * entryBytes {
            findings.append("a ledger of \(last.ledger) bytes with \(last.historyEntries) entries")
        }
        return findings
    }

    private static func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }

    private static func logRate(_ samples: [ServiceFigures]) -> Double {
        guard let first = samples.first, let last = samples.last, last.runs > first.runs else { return 0 }
        return Double(last.logged - first.logged) / Double(last.runs - first.runs)
    }
}
