import FoundationEssentials

/// The evidence about the system's clock, besides the time that it shows.
///
/// A clock that is ahead makes every row look old, so it is the worst error for a program that deletes by age. No part
/// of the evidence proves that the clock is right, but each can show that it is wrong. If none does, or if a time
/// server vouches for it, the clock is believed.
package struct ClockEvidence: Equatable, Sendable {
    /// The clock's current time.
    package var now: Date
    /// Whether the kernel reports that a time server synchronises its clock (`adjtimex`), and `now` is from that clock.
    /// Also false where the kernel cannot be asked.
    package var isSynchronised: Bool
    /// The last reading that was believed; nil when there is none.
    package var lastBelieved: Reading?
    /// How new the stores' rows are, from ``newest(of:)``; nil when unknown.
    package var newestRow: Date?

    /// An earlier reading of the clock.
    package struct Reading: Equatable, Sendable {
        /// The time that the clock showed.
        package var date: Date
        /// The time that has passed since, from the time since boot, including sleep. Nil when the machine was rebooted
        /// since, because it is unknown how long it was off.
        package var elapsed: TimeInterval?

        package init(date: Date, elapsed: TimeInterval?) {
            self.date = date
            self.elapsed = elapsed
        }
    }

    package init(
        now: Date, isSynchronised: Bool = false, lastBelieved: Reading? = nil, newestRow: Date? = nil
    ) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.lastBelieved = lastBelieved
        self.newestRow = newestRow
    }
}

extension ClockEvidence {
    /// A clock that shows an earlier time than this program's release is wrong.
    package static let earliest = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
    /// How far the clock may deviate from the elapsed time, in either direction. It leaves room to set the clock by
    /// hand, and is small compared with retention periods of days.
    package static let tolerance: TimeInterval = 2 * 3_600
    /// How long the machine may have been off if no time server vouches for the clock.
    package static let longestOff: TimeInterval = 7 * 86_400
    /// How far a time server may move the clock, and how old the newest row may be if there is no other evidence. It is
    /// about as long as a machine may be out of use before it is started again. A spoofed server, or a GPS receiver
    /// that miscounts the weeks (by 1,024), is further off.
    package static let longestRest: TimeInterval = 5 * 365 * 86_400

    /// Why the clock cannot be believed; nil when it can.
    package var doubt: ClockDoubt? {
        if now < Self.earliest { return .beforeThisProgram(now) }
        guard let last = lastBelieved else { return isSynchronised ? nil : doubtByStore }
        let due = last.date.addingTimeInterval(last.elapsed ?? 0)
        let leap = now.timeIntervalSince(due)
        let isOff = last.elapsed == nil
        let longest = isSynchronised ? Self.longestRest : isOff ? Self.longestOff : Self.tolerance
        if leap > longest { return isOff ? .unknownSince(due, now) : .leapt(from: due, to: now) }
        if isSynchronised { return nil }
        return leap < -Self.tolerance ? .setBack(from: due, to: now) : doubtByStore
    }

    /// How many rows may have times far later than all others, such as posts dated in advance.
    package static let strays = 9

    /// How new the rows are: the newest of `times` after ``strays`` are left out, or up to half of them where there are
    /// few. Nil when there are none.
    package static func newest(of times: [Date]) -> Date? {
        let times = times.sorted(by: >)
        return times.isEmpty ? nil : times[min(strays, (times.count - 1) / 2)]
    }

    /// A clock behind the store's rows is not doubted: a run by it deletes less, and a single row with a time in the
    /// future would otherwise stop every run.
    private var doubtByStore: ClockDoubt? {
        guard let newestRow, now.timeIntervalSince(newestRow) > Self.longestRest else { return nil }
        return .farFromStore(newest: newestRow, now)
    }
}
