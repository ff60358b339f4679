import FoundationEssentials
import Retention

extension Date {
    /// `2026-11-21 13:05:00`, by the clock on the wall.
    func local(in timeZone: Zone) -> String {
        WallClock(at: self, in: timeZone).description
    }
}
