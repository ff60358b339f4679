import FoundationEssentials

/// Why the system's clock cannot be believed.
package enum ClockDoubt: Hashable, Sendable {
    /// It shows a time before this program existed.
    case beforeThisProgram(Date)
    /// It moved ahead by more than the time that has passed.
    case leapt(from: Date, to: Date)
    /// It was set back.
    case setBack(from: Date, to: Date)
    /// The machine was off for longer than may be assumed without evidence.
    case unknownSince(Date, Date)
    /// Even the newest rows of the stores, apart from a few, would be years old, and no other evidence exists.
    case farFromStore(newest: Date, Date)
    /// It is far ahead of the clock of the store's server.
    case aheadOfServer(server: Date, Date)
    /// What was recorded of it cannot be read.
    case unreadable(cause: String)

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
        case .aheadOfServer(let server, let now):
            "the clock says \(now.minute); that of the store's server says \(server.minute)"
        case .unreadable(let cause): "the record of what the clock said cannot be read: \(cause)"
        }
    }
}

extension Date {
    /// For example `2026-11-20 12:00 UTC`.
    fileprivate var minute: String {
        WallClock(at: self, in: .gmt).description.dropLast(3) + " UTC"
    }
}
