import CCampaign
import Foundation
import Retention

/// What pruned and the C library make of one zone, from 1970 to 2100.
struct ZoneComparison {
    struct Result {
        var compared = 0
        var findings: [String] = []
    }

    private static let spans = [
        CalendarSpan((1, "d")), CalendarSpan((30, "d")), CalendarSpan((1, "w")), CalendarSpan((1, "month")),
        CalendarSpan((1, "y")), CalendarSpan((7, "h")), CalendarSpan((1, "d"), (12, "h")),
        CalendarSpan((13, "month")),
        CalendarSpan((2, "month"), (3, "d"), (90, "min")), CalendarSpan((4, "y")), CalendarSpan((365, "d")),
    ]
    private static let end: Int64 = 4_133_980_800  // 2100

    private let zone: Zone
    private let name: String
    private let library: LibraryZone
    private let start: Int64

    /// From the year `year` on.
    init(_ zone: Zone, _ name: String, from year: Int64) {
        (self.zone, self.name) = (zone, name)
        start = CivilDate(year: year, month: 1, day: 1).daysSince1970 * 86_400
        library = LibraryZone(name, from: start - 5 * 366 * 86_400, to: Self.end + 5 * 366 * 86_400)
    }

    func result(_ random: inout SampleRandom) -> Result {
        var result = Result()
        for change in library.changes(from: start, to: Self.end) {
            for hour in -30...30 { compareOffset(change.second + Int64(hour) * 3_600, &result) }
            for second in [-1, 1] as [Int64] { compareOffset(change.second + second, &result) }
            for halfHour in -9...9 {
                let near = change.second + Int64(halfHour) * 1_800 + random.number(0...1) as Int64
                compareSpan(before: near, &result, &random)
                compareSpan(to: near, &result, &random)
                compareReading(near + change.before, &result)
                compareReading(near + change.after, &result)
            }
            compareDay(change.second + change.before, &result)
            compareFirstExpiry(change.second + random.number(-9_000...9_000), &result, &random)
            guard result.findings.count < 3 else { return result }
        }
        // Leap days and the ends of months, and instants in between.
        for month in 0..<(124 * 12) {
            let about = start + Int64(month) * 2_629_746
            compareOffset(about + random.number(0...2_629_745), &result)
            let (year, ofYear) = (1970 + start / 31_556_952 + Int64(month) / 12, month % 12 + 1)
            let first = CivilDate(year: year, month: ofYear, day: 1).daysSince1970 * 86_400
            compareSpan(before: first + random.number(-86_400 * 3...86_400), &result, &random)
        }
        return result
    }

    private func compareOffset(_ second: Int64, _ result: inout Result) {
        let theirs = Int64(campaign_offset(name, Int(second)))
        let ours = Int64(zone.offset(at: Date(timeIntervalSince1970: Double(second))))
        result.compared += 1
        if ours != theirs { result.findings.append("\(name) at \(second): \(ours), not \(theirs)") }
    }

    /// The cutoff of a run at `now`.
    private func compareSpan(before now: Int64, _ result: inout Result, _ random: inout SampleRandom) {
        compare(random.pick(Self.spans), now, &result)
    }

    /// The cutoff of a run that is about so long after `near`.
    private func compareSpan(to near: Int64, _ result: inout Result, _ random: inout SampleRandom) {
        let span = random.pick(Self.spans)
        compare(span, near + (near - span.before(near, in: library)), &result)
    }

    private func compare(_ span: CalendarSpan, _ now: Int64, _ result: inout Result) {
        guard let ours = try? Span(parsing: span.text) else {
            result.findings.append("\(span.text) is no span")
            return
        }
        let before = ours.before(Date(timeIntervalSince1970: Double(now)), in: zone)
        let theirs = span.before(now, in: library)
        result.compared += 1
        if Int64(before.timeIntervalSince1970.rounded(.down)) != theirs {
            result.findings.append(
                "\(name): \(span.text) before \(now) is \(before.timeIntervalSince1970), not \(theirs)")
        }
    }

    /// A local time means the latest instant that it can.
    private func compareReading(_ reading: Int64, _ result: inout Result) {
        compare(ColumnFormat.written(reading), library.latest(showing: reading) * 1_000_000, &result)
    }

    /// A date alone means the end of its day.
    private func compareDay(_ reading: Int64, _ result: inout Result) {
        let day = reading - (reading % 86_400 + 86_400) % 86_400
        let last = library.latest(showing: day + 86_399) * 1_000_000 + 999_999
        compare(String(ColumnFormat.written(day).prefix(10)), last, &result)
    }

    private func compare(_ text: String, _ theirs: Int64, _ result: inout Result) {
        let ours = Array(text.utf8).withUnsafeBytes { TextTime.microseconds($0, in: zone) }
        result.compared += 1
        if ours != theirs {
            result.findings.append("\(name): \(text) is \(ours.map(String.init) ?? "no time"), not \(theirs)")
        }
    }

    /// A row expires in the first second at which a run's cutoff is later than the row.
    private func compareFirstExpiry(_ time: Int64, _ result: inout Result, _ random: inout SampleRandom) {
        let span = random.pick(Self.spans)
        guard let ours = try? Span(parsing: span.text) else { return }
        let expiry = Expiry.age(column: "at", keep: ours)
        let date = expiry.firstExpiry(of: Date(timeIntervalSince1970: Double(time)), in: zone)
        let first = Int64(date.timeIntervalSince1970)
        result.compared += 1
        let isFirst = span.before(first, in: library) > time && span.before(first - 1, in: library) <= time
        if !isFirst { result.findings.append("\(name): \(span.text) after \(time) is not \(first)") }
    }
}
