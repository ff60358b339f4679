import FoundationEssentials

/// What is known of the system's clock, other than what it says.
///
/// A clock that is ahead makes everything look old, so it is the worst enemy of whoever deletes by age. Nothing here
/// proves a clock right; but each part can show it wrong, and where none can, or a time server vouches for it, it is
/// believed.
package struct ClockEvidence: Equatable, Sendable {
    /// What the clock says.
    package var now: Date
    /// Whether the kernel says that a time server keeps its clock right (`adjtimex`), and it is this clock. False as well
    /// where that cannot be asked.
    package var isSynchronised: Bool
    /// The last reading that was believed; nil when there is none.
    package var lastBelieved: Reading?
    /// How new the stores' rows are, as ``newest(of:)`` has it; nil when it is not known.
    package var newestRow: Date?

    /// An earlier reading of the clock.
    package struct Reading: Equatable, Sendable {
        /// What the clock said.
        package var date: Date
        /// How long ago that is, by the time since the machine was started, sleep included; nil when the machine has
        /// been started since, so that nobody knows how long it was off.
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
    /// No clock is right that is earlier than this program.
    package static let earliest = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
    /// How far the clock may move otherwise than time does, either way: room for whoever sets it by hand, and no more
    /// than a period of days can bear.
    package static let tolerance: TimeInterval = 2 * 3_600
    /// How long a machine whose clock nobody vouches for may have been off.
    package static let longestOff: TimeInterval = 7 * 86_400
    /// How far a time server may move the clock, and how old the newest row may be where nothing else is known: about
    /// as long as a machine may rest and then go on. A server that is spoofed, or whose receiver miscounts the weeks of
    /// GPS (1,024 of them), is further off.
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

    /// How many rows may have a time that lies ahead of all others': posts dated in advance, say.
    package static let strays = 9

    /// How new rows are, by the times of the newest of them: but for the ``strays``, or for half of them where there are
    /// few; nil where there are none.
    package static func newest(of times: [Date]) -> Date? {
        let times = times.sorted(by: >)
        return times.isEmpty ? nil : times[min(strays, (times.count - 1) / 2)]
    }

    /// A clock that is behind the store is not doubted for that: it deletes less, and one row with a time in the future
    /// would stop every run.
    private var doubtByStore: ClockDoubt? {
        guard let newestRow, now.timeIntervalSince(newestRow) > Self.longestRest else { return nil }
        return .farFromStore(newest: newestRow, now)
    }
}
