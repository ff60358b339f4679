import FoundationEssentials

/// Why the system's clock cannot be believed.
package enum ClockDoubt: Hashable, Sendable {
    /// It says a time at which this program did not exist.
    case beforeThisProgram(Date)
    /// It moved ahead of the time that has passed.
    case leapt(from: Date, to: Date)
    /// It went back.
    case setBack(from: Date, to: Date)
    /// The machine was off, for longer than can be taken on trust.
    case unknownSince(Date, Date)
    /// Nothing is known but that, a few aside, even the newest rows of the stores would be years old.
    case farFromStore(newest: Date, Date)

    /// What is wrong, in one line.
    package var cause: String {
        switch self {
        case .beforeThisProgram(let now):
            "the clock says \(now.minute), which is earlier than this program"
        case .leapt(let from, let to):
            "the clock jumped ahead to \(to.minute); it should say \(from.minute)"
        case .setBack(let from, let to): "the clock went back to \(to.minute) after \(from.minute)"
        case .unknownSince(let last, let now):
            "the clock says \(now.minute); when last believed it said \(last.minute)"
        case .farFromStore(let newest, let now):
            "the clock says \(now.minute); the newest rows are from \(newest.minute)"
        }
    }
}

extension Date {
    /// `2026-11-20 12:00 UTC`.
    fileprivate var minute: String {
        WallClock(at: self, in: .gmt).description.dropLast(3) + " UTC"
    }
}
