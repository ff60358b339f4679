import FoundationEssentials

/// The cutoff for times without a zone.
///
/// A local time stands for the latest instant that it can mean. A row has expired if that is before the cutoff: if its
/// local time is less than every reading of a clock from the cutoff on. In the hour that a clock change repeats, that is
/// the reading after the change.
package enum LocalCutoff {
    /// The least reading of clocks in `zone` at `cutoff` or any instant after it.
    package static func reading(of cutoff: Date, in zone: Zone) -> WallClock {
        var least = reading(at: cutoff, in: zone)
        var (time, offset) = (cutoff, zone.offset(at: cutoff))
        let end = cutoff.addingTimeInterval(longestStep)
        while time < end {
            let next = time.addingTimeInterval(step)
            if zone.offset(at: next) != offset {
                let change = change(of: zone, between: time, and: next)
                least = min(least, reading(at: change, in: zone))
                offset = zone.offset(at: next)
            }
            time = next
        }
        return WallClock(at: Date(timeIntervalSince1970: least), in: .gmt)
    }

    /// The readings that are less than ``reading(of:in:)``, and of which the latest instant that they can mean is not before
    /// the cutoff: clocks have just skipped them. Nil where there are none.
    package static func skipped(at cutoff: Date, in zone: Zone) -> (from: WallClock, to: WallClock)? {
        var time = cutoff.addingTimeInterval(-longestStep)
        while time < cutoff {
            let next = min(cutoff, time.addingTimeInterval(step))
            let (before, after) = (zone.offset(at: time), zone.offset(at: next))
            if before < after {
                let change = change(of: zone, between: time, and: next)
                if cutoff < change.addingTimeInterval(TimeInterval(after - before)) {
                    let ends = [
                        cutoff.addingTimeInterval(TimeInterval(before)),
                        change.addingTimeInterval(TimeInterval(after)),
                    ]
                    return (WallClock(at: ends[0], in: .gmt), WallClock(at: ends[1], in: .gmt))
                }
            }
            time = next
        }
        return nil
    }

    /// The reading as if it were of UTC, in seconds.
    private static func reading(at instant: Date, in zone: Zone) -> TimeInterval {
        instant.timeIntervalSince1970 + TimeInterval(zone.offset(at: instant))
    }

    /// The first second of the new offset.
    static func change(of zone: Zone, between start: Date, and end: Date) -> Date {
        let old = zone.offset(at: start)
        var (before, after) = (start.timeIntervalSince1970, end.timeIntervalSince1970)
        while after - before > 1 {
            let middle = ((before + after) / 2).rounded(.down)
            if zone.offset(at: Date(timeIntervalSince1970: middle)) == old {
                before = middle
            } else {
                after = middle
            }
        }
        return Date(timeIntervalSince1970: after)
    }

    /// No zone has ever gone back or forward by more than a day. In seconds.
    private static let longestStep: TimeInterval = 25 * 3_600
    /// No two changes lie closer. In seconds.
    private static let step: TimeInterval = 900
}
