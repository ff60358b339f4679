import Foundation
import Retention
import TestSupport
import Testing

/// The zones of the system's tzdata, held against those who read it, too.
struct ZoneTests {
    @Test("every zone of the system has the offsets that zdump says, up to the year 2045")
    func zdump() throws {
        let names = try Self.names()
        #expect(names.count > 300)
        let changes = try Dictionary(grouping: Self.changes(of: names), by: \.zone)
        #expect(changes.count > 300)
        for (name, changes) in changes {
            let zone = try zone(name)
            let wrong = changes.first { zone.offset(at: $0.date) != $0.offset }
            #expect(wrong == nil)
        }
    }

    @Test(
        "between its changes too, a zone has Foundation's offset",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Europe/Dublin",
            "Asia/Tokyo", "America/Sao_Paulo", "Pacific/Apia", "Antarctica/Troll", "Etc/GMT+5",
        ])
    func foundation(name: String) throws {
        let (ours, theirs) = (try zone(name), try #require(TimeZone(identifier: name)))
        let dates = stride(from: 0, to: 130 * 366 * 24, by: 37).lazy.map {
            Date(timeIntervalSince1970: Double($0) * 3_600)
        }
        #expect(dates.first { ours.offset(at: $0) != theirs.secondsFromGMT(for: $0) } == nil)
    }

    @Test(
        "a zone written as rules changes its clocks by them",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3_600),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:59:59Z", 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3_600),
            ("<+0545>-5:45", "2026-10-25T01:00:00Z", 20_700),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
            // Day 60 is March 1 in every year, or in common ones.
            ("XXX1YYY,J60/0,J300/0", "2028-03-01T00:59:59Z", -3_600),
            ("XXX1YYY,J60/0,J300/0", "2028-03-01T01:00:00Z", 0),
            ("XXX1YYY,59/0,J300/0", "2027-03-01T00:59:59Z", -3_600),
            ("XXX1YYY,59/0,J300/0", "2028-02-29T01:00:00Z", 0),
        ])
    func rules(rules: String, at time: String, offset: Int) throws {
        #expect(try #require(Zone(rules: rules)).offset(at: instant(time)) == offset)
    }

    @Test(
        "what is no rule of a zone is none",
        arguments: [
            "", "C", "CET", "CET-", "CET-25", "CET-1:60", "CET-1CEST,", "CET-1CEST", "CET-1CEST,M3.5.0",
            "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
            "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,J0,J300", "CET-1CEST,1,366", "<CET-1",
            "CET-99999999999999999999",
            "CET-1CEST,M3.5.0/168,M10.5.0",
        ])
    func noRules(rules: String) { #expect(Zone(rules: rules) == nil) }

    @Test("a file that ends anywhere, or has any byte changed, is a zone or none, and ends no program")
    func damagedFiles() throws {
        let data = try Data(contentsOf: URL(filePath: Self.directory + "America/New_York"))
        let file = [UInt8](data)
        #expect(Zone(identifier: "x", file: file) != nil)
        for length in 0..<file.count { #expect(Zone(identifier: "x", file: Array(file[..<length])) == nil) }
        for index in stride(from: 0, to: file.count, by: 3) {
            for byte in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var damaged = file
                damaged[index] = byte
                let zone = Zone(identifier: "x", file: damaged)
                for time in [-9e18, 0, 1.8e9, 9e18] {
                    let offset = zone?.offset(at: Date(timeIntervalSince1970: time)) ?? 0
                    if offset.magnitude > 2 * 86_400 { Issue.record("\(index) \(byte): \(offset)") }
                }
            }
        }
    }

    @Test("any date has an offset, and a day")
    func anyDate() throws {
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)]
            + [-.infinity, .nan, 1e300, -1e300].map(Date.init(timeIntervalSince1970:))
        {
            #expect(try zone("Europe/Berlin").offset(at: date).magnitude < 86_400)
            #expect(try !WallClock(at: date, in: zone("Europe/Berlin")).description.isEmpty)
        }
    }

    private static let directory = "/usr/share/zoneinfo/"

    /// All names that tzdata has: the zones, and the links to them.
    private static func names() throws -> [String] {
        let data = try String(contentsOfFile: directory + "tzdata.zi", encoding: .utf8)
        let names = data.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: " ")
            return switch fields.first {
            case "Z": String(fields[1])
            case "L": String(fields[2])
            default: nil
            }
        }
        return names.filter { FileManager.default.fileExists(atPath: directory + $0) }
    }

    private struct Change {
        let zone: String
        let date: Date
        let offset: Int
    }

    /// The seconds before and at each change. A line of zdump is
    /// `Europe/Berlin  Sun Mar 29 01:00:00 2026 UT = Sun Mar 29 03:00:00 2026 CEST isdst=1 gmtoff=7200`.
    private static func changes(of names: [String]) throws -> [Change] {
        let text = try Program(
            ["/usr/bin/zdump", "-v", "-c", "1960,2045"] + names.map { directory + $0 }
        ).run().output
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return text.split(separator: "\n").compactMap { line -> Change? in
            let fields = line.split(separator: " ")
            guard fields.count == 16, let month = months.firstIndex(of: String(fields[2])) else { return nil }
            guard let day = Int(fields[3]), let year = Int64(fields[5]) else { return nil }
            guard let offset = Int(fields[15].dropFirst("gmtoff=".count)) else { return nil }
            let time = fields[4].split(separator: ":").compactMap { Double($0) }
            let clock = WallClock(
                CivilDate(year: year, month: month + 1, day: day),
                time: (time[0] * 60 + time[1]) * 60 + time[2])
            return Change(
                zone: String(fields[0].dropFirst(directory.count)), date: clock.earliestInstant(in: .gmt),
                offset: offset)
        }
    }
}
