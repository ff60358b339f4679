import FoundationEssentials
import Pruning

extension Ledger: ClockMemory {
    /// See `ClockMemory`.
    package func lastBelieved() throws(StoreError) -> ClockReading? {
        try read(or: nil) { try $0.lastBelieved() }
    }

    /// See `ClockMemory`.
    package func lastRunDates() throws(StoreError) -> [Date] {
        try read(or: []) { try $0.lastRuns().values.map(\.date) }
    }

    /// The names of the rules whose last attempt failed; none if that cannot be read.
    package func failedRules() -> Set<String> {
        readIfPossible(or: []) { try $0.failedRules() }
    }

    /// See `ClockMemory`.
    package func record(_ reading: ClockReading) throws(StoreError) {
        try write("remember the clock") { try $0.recordClock(reading) }
    }
}
