import FoundationEssentials
import Retention
import Synchronization

/// What is remembered of the clock, and of the runs that went by it.
package protocol ClockMemory: Sendable {
    /// The last reading that was believed; nil when none is known.
    func lastBelieved() -> ClockReading?
    /// When rules last ran to their end, each.
    func lastRunDates() -> [Date]
    /// The names of the rules whose last attempt failed.
    func failedRules() -> Set<String>
    /// Takes the place of the last reading.
    func record(_ reading: ClockReading) throws(StoreError)
}

/// Judges before each run whether the clock can be believed, and remembers the last reading that could: by itself, and in
/// its memory for the next start.
package final class ClockGuard: Sendable {
    private let machine: MachineClock
    private let memory: any ClockMemory
    private let lastBelieved: Mutex<ClockReading?>

    /// While the machine stays on, an older reading is as good as a new one.
    private static let recordInterval: TimeInterval = 3_600

    /// A guard that keeps its reading in `memory`. Where there is none, the last runs that are recorded there say when the clock
    /// was last believed.
    package init(machine: MachineClock, memory: any ClockMemory) {
        self.machine = machine
        self.memory = memory
        lastBelieved = Mutex(memory.lastBelieved())
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
        guard let recorded = memory.lastBelieved() else { return own }
        guard let own else { return recorded }
        let isLater = recorded.isOfSameBoot(as: reading) && recorded.sinceBoot > own.sinceBoot
        return isLater ? recorded : own
    }

    /// A rule runs to its end only by a clock that is believed. How long ago that was, nobody knows. What lies ahead is
    /// from a clock that was wrong.
    private func lastRun(before now: Date) -> ClockEvidence.Reading? {
        let dates = memory.lastRunDates().filter { $0 >= ClockEvidence.earliest && $0 <= now }
        return dates.max().map { ClockEvidence.Reading(date: $0, elapsed: nil) }
    }

    /// See ``ClockMemory/failedRules()``.
    func failedRules() -> Set<String> { memory.failedRules() }

    /// Takes the clock for right, because a person says so. Returns what it says, and what of the readings that are kept
    /// speaks against it.
    package func vouch() -> (now: Date, against: ClockDoubt?) {
        let reading = reading(machine.now())
        let last = latestBelieved(before: reading)?.asEvidence(for: reading) ?? lastRun(before: reading.date)
        lastBelieved.withLock { $0 = reading }
        return (reading.date, ClockEvidence(now: reading.date, lastBelieved: last).doubt)
    }

    /// The last reading that was believed; nil when there is none, or what is remembered is as good.
    package func newReading(after recorded: ClockReading?) -> ClockReading? {
        guard let last = lastBelieved.withLock({ $0 }) else { return nil }
        guard let recorded, recorded.bootID == last.bootID,
            abs((recorded.sinceBoot - last.sinceBoot).seconds) < Self.recordInterval,
            abs(recorded.date.timeIntervalSince(last.date)) < Self.recordInterval
        else { return last }
        return nil
    }

    /// Remembers the last reading that was believed, unless what is remembered is as good.
    package func record() throws(StoreError) {
        if let reading = newReading(after: memory.lastBelieved()) { try memory.record(reading) }
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

/// What the stores know of the time: how new their newest rows are.
package struct ClockWitnesses {
    private let rules: [RetentionRule]
    private let stores: [Name: any PrunableStore]
    private let control: RunControl

    /// The rows of `rules`, whichever of them are to run: a table of which nothing is known yet says nothing for the
    /// others.
    package init(rules: [RetentionRule], stores: [Name: any PrunableStore], control: RunControl) {
        self.rules = rules
        self.stores = stores
        self.control = control
    }

    /// The newest times; nil when there is no store that could tell. What lies ahead of the clock, which says `now`, says
    /// nothing for it. A store that cannot be read says so itself when its rules run; one whose reading does not end would
    /// end the process here, and nothing would run at all: rules that `failed` are not asked.
    func newestTimes(notAfter now: Date, failed: Set<String>) -> [Date]? {
        let answers = rules.compactMap { rule -> [Date]? in
            guard !failed.contains(rule.name.description), let store = stores[rule.store], store.exists(),
                let view = try? store.openView(control)
            else { return nil }
            defer { view.close() }
            return try? view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: now)
        }
        return answers.isEmpty ? nil : answers.flatMap(\.self)
    }
}

extension ClockGuard {
    /// Why a run that begins at `now`, which the clock has just said, would not believe it; nil when it would.
    package func doubt(of now: Date, _ witnesses: ClockWitnesses) -> ClockDoubt? {
        doubt(of: now) { witnesses.newestTimes(notAfter: now, failed: failedRules()) }
    }
}

/// The clock during one run, which was believed when that began.
struct RunClock: Sendable {
    private let clockGuard: ClockGuard?
    private let start: ClockReading?

    /// The clock of a run that has just begun, at `startedAt`. Nil: it is right whatever it says.
    init(_ clockGuard: ClockGuard?, startedAt: Date) {
        self.clockGuard = clockGuard
        start = clockGuard?.reading(startedAt)
    }

    /// Why the clock cannot be believed to have been right at the start; nil when it can.
    var doubt: ClockDoubt? { start.flatMap { clockGuard?.wentBack(since: $0) } }
}
