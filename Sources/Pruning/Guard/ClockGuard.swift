import FoundationEssentials
import Retention
import Synchronization

/// Judges before each run whether the clock can be believed, and remembers the last reading that could: in memory, and
/// in the state directory for the next start.
package final class ClockGuard: Sendable {
    private let machine: MachineClock
    private let path: String
    private let ledger: RunLedger
    private let history: RunHistory
    private let lastBelieved: Mutex<ClockReading?>

    /// While the machine stays on, an older reading is as good as a new one.
    private static let recordInterval: TimeInterval = 3_600

    /// A guard that keeps its reading in `stateDirectory`. Where it cannot be read, the last runs that are recorded there
    /// say when the clock was last believed.
    package init(machine: MachineClock, stateDirectory: String) {
        self.machine = machine
        path = Self.path(in: stateDirectory)
        ledger = RunLedger(stateDirectory: stateDirectory)
        history = RunHistory(stateDirectory: stateDirectory)
        lastBelieved = Mutex(Self.recorded(at: path))
    }

    private static func path(in stateDirectory: String) -> String { stateDirectory + "/clock.json" }

    /// Whether there is something in `stateDirectory` where a reading should be, and is none.
    static func isMemoryDamaged(stateDirectory: String) -> Bool {
        let path = path(in: stateDirectory)
        return recorded(at: path) == nil && !StateDamage.isMissing(path)
    }

    private static func recorded(at path: String) -> ClockReading? {
        RegularFile.contents(atPath: path).flatMap {
            StoredNumbers.areBounded($0) ? try? JSONDecoder().decode(ClockReading.self, from: $0) : nil
        }
    }

    /// Why `now`, which the clock has just said, cannot be believed; nil when it can, and then it is remembered, unless
    /// nobody could be asked. `newestRows` is asked where nothing else is known; nil: there is no store that could tell.
    func doubt(of now: Date, newestRows: () -> [Date]?) -> ClockDoubt? {
        let reading = reading(now)
        let last = latestBelieved(before: reading)
        var evidence = ClockEvidence(
            now: now, lastBelieved: last?.asEvidence(for: reading) ?? lastRun(before: now))
        let times = last == nil ? newestRows() : nil
        evidence.newestRow = times.flatMap(ClockEvidence.newest)
        // Asked last: it may take a while, and a clock in which nothing is wrong needs nobody to vouch for it.
        if evidence.doubt != nil { evidence.isSynchronised = machine.isSynchronised(now) }
        if let doubt = evidence.doubt { return doubt }
        // A last run may itself have been one that nobody could be asked about.
        if last != nil || times != nil || evidence.isSynchronised {
            lastBelieved.withLock { $0 = reading.corrected(by: evidence) }
        }
        return nil
    }

    /// Another process may have recorded a later one meanwhile, which a person has vouched for.
    private func latestBelieved(before reading: ClockReading) -> ClockReading? {
        let own = lastBelieved.withLock { $0 }
        guard let recorded = Self.recorded(at: path) else { return own }
        guard let own else { return recorded }
        let isLater = recorded.isOfSameBoot(as: reading) && recorded.sinceBoot > own.sinceBoot
        return isLater ? recorded : own
    }

    /// A rule runs to its end only by a clock that is believed. How long ago that was, nobody knows. What lies ahead is
    /// from a clock that was wrong, or a damaged file.
    private func lastRun(before now: Date) -> ClockEvidence.Reading? {
        let dates = ledger.lastRuns().values.map(\.date).filter { $0 >= ClockEvidence.earliest && $0 <= now }
        return dates.max().map { ClockEvidence.Reading(date: $0, elapsed: nil) }
    }

    /// The names of the rules whose last attempt failed.
    func failedRules() -> Set<String> {
        let attempts = LastAttempt.byRule((try? history.entries()) ?? [])
        return Set(attempts.filter { $0.value.record?.outcome == .failed }.keys)
    }

    /// Takes the clock for right, because a person says so. Returns what it says, and what of the readings that are kept
    /// speaks against it.
    package func vouch() -> (now: Date, against: ClockDoubt?) {
        let reading = reading(machine.now())
        let last = latestBelieved(before: reading)?.asEvidence(for: reading) ?? lastRun(before: reading.date)
        lastBelieved.withLock { $0 = reading }
        return (reading.date, ClockEvidence(now: reading.date, lastBelieved: last).doubt)
    }

    /// Writes the last reading that was believed to the state directory, unless what stands there is as good.
    package func record() throws(StoreError) {
        guard let last = lastBelieved.withLock({ $0 }) else { return }
        if let recorded = Self.recorded(at: path), recorded.bootID == last.bootID,
            abs((recorded.sinceBoot - last.sinceBoot).seconds) < Self.recordInterval,
            abs(recorded.date.timeIntervalSince(last.date)) < Self.recordInterval
        {
            return
        }
        do {
            try AtomicFile.replace(path, with: JSONEncoder().encode(last))
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.other, operation: "remember the clock", place: path, cause: "\(error)")
        }
    }

    /// What is asked in mid-run: whether the clock went back since `start`. Then it was ahead when the run fixed its
    /// cutoffs. One that went ahead changes nothing of them.
    func wentBack(since start: ClockReading) -> ClockDoubt? {
        let now = machine.now()
        let due = start.date.addingTimeInterval((machine.sinceBoot() - start.sinceBoot).seconds)
        return now < due.addingTimeInterval(-ClockEvidence.tolerance) ? .setBack(from: due, to: now) : nil
    }

    func reading(_ now: Date) -> ClockReading {
        ClockReading(date: now, sinceBoot: machine.sinceBoot(), bootID: machine.bootID)
    }
}
