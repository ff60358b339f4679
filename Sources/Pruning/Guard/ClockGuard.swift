import FoundationEssentials
import Retention
import Synchronization

/// The recorded facts about the clock and the runs that relied on it.
package protocol ClockMemory: Sendable {
    /// The last reading that was believed; nil when none is recorded.
    ///
    /// Throws if there may be one that cannot be read now.
    func lastBelieved() throws(StoreError) -> ClockReading?
    /// For each rule that has completed a run, when its last completed run began.
    func lastRunDates() throws(StoreError) -> [Date]
    /// Replaces the recorded reading.
    func record(_ reading: ClockReading) throws(StoreError)
}

/// Judges before each run whether the clock can be believed. It remembers the last reading that was believed, in the
/// process and in its memory for the next start.
package final class ClockGuard: Sendable {
    fileprivate let machine: MachineClock
    private let memory: any ClockMemory
    private let lastBelieved: Mutex<ClockReading?>
    /// What the stores said last, and when.
    private let witnessed = Mutex<(at: Duration, times: [Date]?)?>(nil)

    /// For how long what the stores said counts.
    private static let witnessTime = Duration.seconds(10)

    /// While the machine stays on, a reading up to this much older serves as well as a new one.
    private static let recordInterval: TimeInterval = 3_600

    /// A guard that records its readings in `memory`. If none is recorded, the last runs recorded there stand in for
    /// it.
    package init(machine: MachineClock, memory: any ClockMemory) {
        self.machine = machine
        self.memory = memory
        lastBelieved = Mutex(try? memory.lastBelieved())
    }

    /// Why `now`, the clock's current time, cannot be believed; nil when it can. A believed reading is remembered,
    /// unless there was no evidence to check it against.
    ///
    /// `newestRows` is called only when there is no earlier reading; it returns nil when no store could tell.
    /// Runs that begin together ask once: there may be hundreds, and each would ask all stores.
    func doubt(of now: Date, newestRows: () -> [Date]?) -> ClockDoubt? {
        witnessed.withLock { witnessed in
            judge(now) {
                let time = machine.sinceBoot()
                if let last = witnessed, (.zero..<Self.witnessTime).contains(time - last.at) {
                    return last.times
                }
                let times = newestRows()
                witnessed = (machine.sinceBoot(), times)
                return times
            }
        }
    }

    private func judge(_ now: Date, newestRows: () -> [Date]?) -> ClockDoubt? {
        let reading = reading(now)
        let (last, recorded): (ClockReading?, ClockEvidence.Reading?)
        do throws(StoreError) {
            last = try latestBelieved(before: reading)
            recorded = if let last { last.asEvidence(for: reading) } else { try lastRun(before: now) }
        } catch {
            // Without it the clock could be years ahead and not be noticed.
            return .unreadable(cause: error.cause)
        }
        var evidence = ClockEvidence(now: now, lastBelieved: recorded)
        let times = last == nil ? newestRows() : nil
        evidence.newestRow = times.flatMap(ClockEvidence.newest)
        // Asked last, since it may take a while and is needed only when something speaks against the clock.
        if evidence.doubt != nil { evidence.isSynchronised = machine.isSynchronised(now) }
        if let doubt = evidence.doubt { return doubt }
        // The date of a last run is not enough to remember the reading: that run's clock may have been unchecked, too.
        if last != nil || times != nil || evidence.isSynchronised {
            lastBelieved.withLock { $0 = reading.corrected(by: evidence) }
        }
        return nil
    }

    /// Another process may have recorded a later reading that a person vouched for.
    private func latestBelieved(before reading: ClockReading) throws(StoreError) -> ClockReading? {
        guard let own = lastBelieved.withLock({ $0 }) else { return try memory.lastBelieved() }
        guard let recorded = try? memory.lastBelieved() else { return own }
        let isLater = recorded.isOfSameBoot(as: reading) && recorded.sinceBoot > own.sinceBoot
        return isLater ? recorded : own
    }

    /// The newest last run as a reading, since a rule completes a run only while the clock is believed. How long ago it
    /// was by another clock is unknown. Dates after `now` came from a wrong clock and are ignored.
    private func lastRun(before now: Date) throws(StoreError) -> ClockEvidence.Reading? {
        let dates = try memory.lastRunDates().filter { $0 >= ClockEvidence.earliest && $0 <= now }
        return dates.max().map { ClockEvidence.Reading(date: $0, elapsed: nil) }
    }

    /// Believes the clock because a person vouches for it. Returns its time, and what the recorded readings say against
    /// it.
    package func vouch() -> (now: Date, against: ClockDoubt?) {
        let reading = reading(machine.now())
        let last =
            try? latestBelieved(before: reading)?.asEvidence(for: reading) ?? lastRun(before: reading.date)
        lastBelieved.withLock { $0 = reading }
        return (reading.date, ClockEvidence(now: reading.date, lastBelieved: last).doubt)
    }

    /// The last reading that was believed; nil when there is none, or when `recorded` serves as well.
    package func newReading(after recorded: ClockReading?) -> ClockReading? {
        guard let last = lastBelieved.withLock({ $0 }) else { return nil }
        guard let recorded, recorded.bootID == last.bootID,
            abs((recorded.sinceBoot - last.sinceBoot).seconds) < Self.recordInterval,
            abs(recorded.date.timeIntervalSince(last.date)) < Self.recordInterval
        else { return last }
        return nil
    }

    /// Records the last reading that was believed, unless the recorded one serves as well.
    package func record() throws(StoreError) {
        if let reading = newReading(after: try memory.lastBelieved()) { try memory.record(reading) }
    }

    func reading(_ now: Date) -> ClockReading {
        ClockReading(date: now, sinceBoot: machine.sinceBoot(), bootID: machine.bootID)
    }
}

/// The evidence of the stores on the time: how new their newest rows are.
package struct ClockWitnesses {
    /// Asks stores for the newest times in the tables of their rules; without those that cannot tell.
    package typealias Asking =
        @Sendable ([Name: [RetentionRule]], _ notAfter: Date, RunControl) -> [Name: [Date]]

    private let rules: [RetentionRule]
    private let control: RunControl
    private let ask: Asking

    /// Asks the tables of all `rules`, whether or not these are about to run: one new table alone is poor evidence.
    package init(rules: [RetentionRule], _ control: RunControl, ask: @escaping Asking) {
        (self.rules, self.control, self.ask) = (rules, control, ask)
    }

    /// The newest times up to `now`; nil when no store could tell. Later times are no evidence for the clock.
    ///
    /// A store that cannot be read is skipped here: its rules report that when they run.
    func newestTimes(notAfter now: Date) -> [Date]? {
        let times = ask(Dictionary(grouping: rules, by: \.store), now, control).values
        return times.isEmpty ? nil : times.flatMap(\.self).filter { $0 <= now }
    }

    /// What `store` tells; nil if none of the tables can.
    package static func newestTimes(
        of rules: [RetentionRule], in store: any PrunableStore, notAfter date: Date, _ control: RunControl
    ) -> [Date]? {
        let answers = rules.compactMap { rule -> [Date]? in
            guard store.exists(), let view = try? store.openView(control) else { return nil }
            defer { view.close() }
            return try? view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: date)
        }
        return answers.isEmpty ? nil : answers.flatMap(\.self)
    }
}

extension ClockGuard {
    /// Why a run that begins at `now`, the clock's current time, would not believe the clock; nil when it would.
    package func doubt(of now: Date, _ witnesses: ClockWitnesses) -> ClockDoubt? {
        doubt(of: now) { witnesses.newestTimes(notAfter: now) }
    }
}

/// The clock during one run. It was believed when the run began.
struct RunClock: Sendable {
    private let machine: MachineClock?
    /// When the run began; nil if every clock is believed.
    let start: ClockReading?

    /// The clock of a run that begins at `startedAt`. Without a guard it is always believed.
    init(_ clockGuard: ClockGuard?, startedAt: Date) {
        machine = clockGuard?.machine
        start = clockGuard?.reading(startedAt)
    }

    /// The clock of a run that began at `start`.
    init(_ machine: MachineClock, since start: ClockReading?) {
        (self.machine, self.start) = (machine, start)
    }

    /// Why the clock was wrong when the run began, as far as is known now; nil when nothing says so.
    var doubt: ClockDoubt? { start.flatMap { machine?.wentBack(since: $0) } }

    /// Whether the task's hours have ended.
    func isOver(_ task: PruneTask) -> Bool {
        guard let closes = task.closes, let machine else { return false }
        return machine.now() >= closes
    }
}
