import Foundation
import Retention
import Synchronization
import TestSupport

/// Every zone of the system's tzdata, and random rules of the variable TZ: what pruned makes of instants, spans and local
/// times around each clock change, held against the C library.
final class TimeZones: Part {
    static let name = "zones"
    static var aim: Aim { Aim(points: names.count + randomRules, unit: "zones") }
    static let sliceSeconds: Double? = 8
    /// The C library has one zone at a time.
    static let workers = 1
    private static let randomRules = 1_000
    private static let names = zoneNames()

    private let setting: Setting
    private let compared = Atomic<Int>(0)

    init(_ setting: Setting) { self.setting = setting }

    var cases: Int? { Self.names.count + Self.randomRules }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var random = SampleRandom(setting.generator(number))
        // In a slice, zones of all kinds; in a whole run, each of them once.
        let place = number * 617 % (Self.names.count + Self.randomRules)
        let isNamed = place < Self.names.count
        let name = isNamed ? Self.names[place] : RandomZoneRules(&random).text
        let zone = isNamed ? Zone(identifier: name) : Zone(rules: name)
        if isNamed, name.hasPrefix("right/") {
            // It counts leap seconds, which Unix time does not.
            let isRefused = zone == nil || name == "right/UTC" || name == "right/GMT"
            return Attempt(findings: isRefused ? [] : ["\(name) counts leap seconds and is accepted"])
        }
        guard let zone else { return Attempt(findings: ["\(name) is not read"]) }
        let result = ZoneComparison(
            zone, name,
            // The C library reads rules of the variable TZ from 1970 on alone, and a span goes back from there.
            from: isNamed ? 1970 : 1976
        ).result(&random)
        let sum = compared.add(result.compared, ordering: .relaxed).newValue
        return Attempt(
            findings: result.findings,
            remark: (number + 1) % 250 == 0 ? "\(sum) instants, cutoffs and local times compared" : nil)
    }

    /// The files of tzdata, links included.
    private static func zoneNames() -> [String] {
        let directory = "/usr/share/zoneinfo"
        let all = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            let file = FileHandle(forReadingAtPath: directory + "/" + name)
            return (try? file?.read(upToCount: 4)) == Data("TZif".utf8)
        }.sorted()
    }
}

/// A random zone in the form of the variable TZ, whose clocks change well within a year.
struct RandomZoneRules {
    let text: String

    init(_ random: inout SampleRandom) {
        let names = [("CET", "CEST"), ("<+03>", "<+04>"), ("ABCDEF", "XYZ"), ("<-0330>", "<-0230>")]
        let (standard, summer) = random.pick(names)
        let offset = "\(random.pick("", "-", "+"))\(random.number(0...12))\(random.pick("", ":30", ":45:15"))"
        guard random.chance(0.9) else {
            text = standard + offset
            return
        }
        let own = random.chance(0.3) ? "\(random.pick("", "-"))\(random.number(0...12)):20" : ""
        let (start, end) = (Self.change(2...5, &random), Self.change(8...11, &random))
        let isSouth = random.chance(0.4)
        text = "\(standard)\(offset)\(summer)\(own),\(isSouth ? end : start),\(isSouth ? start : end)"
    }

    private static func change(_ months: ClosedRange<Int>, _ random: inout SampleRandom) -> String {
        let (month, time) = (random.number(months), random.pick("", "/0", "/3", "/1:30", "/24", "/-1", "/26"))
        let day =
            switch random.number(0...2) {
            case 0: "J\(month * 30 + random.number(-1...5))"
            case 1: "\(month * 30 + random.number(-1...5))"
            default: "M\(month).\(random.number(1...5)).\(random.number(0...6))"
            }
        return day + time
    }
}
