import FoundationEssentials
import Pruning

extension Ledger: ClockMemory {
    /// See `ClockMemory`.
    package func lastBelieved() -> ClockReading? {
        readIfPossible(or: nil) { try $0.lastBelieved() }
    }

    /// See `ClockMemory`.
    package func lastRunDates() -> [Date] {
        readIfPossible(or: []) { try $0.lastRuns().values.map(\.date) }
    }

    /// See `ClockMemory`.
    package func failedRules() -> Set<String> {
        readIfPossible(or: []) { try $0.failedRules() }
    }

    /// See `ClockMemory`.
    package func record(_ reading: ClockReading) throws(StoreError) {
        try write("remember the clock") { try $0.recordClock(reading) }
    }
}
