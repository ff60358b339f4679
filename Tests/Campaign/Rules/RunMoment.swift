import Foundation

/// When and where a program runs: its clock, the zone of its policy, and a zone in which an app writes.
struct RunMoment: Sendable {
    /// The Unix second.
    let now: Int64
    let zone: LibraryZone
    let columnZone: LibraryZone

    /// The zones where people live, with the changes of some years.
    static let zones: [LibraryZone] = names.map {
        LibraryZone($0, from: start - 12 * year, to: start + 6 * year)
    }

    /// What one of its clocks may change: 2026-11-20T12:00:00Z.
    private static let start: Int64 = 1_795_176_000
    private static let year: Int64 = 366 * 86_400
    /// No run before this one: 2026-01-02.
    static let earliest: Int64 = 1_767_312_000

    /// Of tzdata's table of zones, every fourth; for each kind of clock change there is one among them.
    private static let names: [String] = {
        let table = (try? String(contentsOfFile: "/usr/share/zoneinfo/zone.tab", encoding: .utf8)) ?? ""
        let all = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: "\t").dropFirst(2).first.map(String.init)
        }
        let odd = [
            "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Africa/Cairo",
            "America/Nuuk", "Asia/Gaza", "Pacific/Chatham", "America/St_Johns", "Europe/Dublin",
        ]
        return odd + all.enumerated().filter { $0.offset % 16 == 0 }.map(\.element) + ["UTC"]
    }()

    /// Before `latest`, often just after something that a clock did.
    init(before latest: Int64, _ random: inout SampleRandom) {
        zone = random.pick(Self.zones)
        columnZone = random.pick(Self.zones)
        let changes = zone.changes(from: Self.earliest, to: latest)
        if let change = changes.isEmpty ? nil : random.pick(changes), random.chance(0.5) {
            let days = random.pick([0, 1, 7, 30, 31, 365] as [Int64])
            let about = change.second + days * 86_400 + random.number(-10_800...10_800)
            now = min(max(about, Self.earliest), latest)
        } else {
            now = random.number(Self.earliest...latest)
        }
    }
}
