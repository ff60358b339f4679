import Glibc

/// How a column has times.
struct ColumnFormat {
    /// As in a rule; nil for the types that a server has for times.
    var unit: String?
    var epoch: String?
    /// The zone of times without an offset.
    var zone: LibraryZone?
    /// The declared type.
    var type = ""

    static let units = ["s", "ms", "us", "ns", "s-real", "iso8601"]
    private static let formatsWithEpochs = [("s", "core-data"), ("s-real", "core-data"), ("us", "chromium")]

    /// One that a store of this kind can have.
    static func random(
        in kind: StoreKind, _ moment: RunMoment, _ random: inout SampleRandom
    ) -> ColumnFormat {
        switch kind {
        case .file: sqlite(moment, &random)
        case .postgreSQL: postgreSQL(moment, &random)
        case .mariaDB: mariaDB(moment, &random)
        }
    }

    private static func sqlite(_ moment: RunMoment, _ random: inout SampleRandom) -> ColumnFormat {
        if random.chance(0.2) {
            let (unit, epoch) = random.pick(formatsWithEpochs)
            return ColumnFormat(unit: unit, epoch: epoch)
        }
        var format = ColumnFormat(unit: random.pick(units))
        if format.unit == "iso8601", random.chance(0.6) { format.zone = moment.columnZone }
        return format
    }

    private static func mariaDB(_ moment: RunMoment, _ random: inout SampleRandom) -> ColumnFormat {
        switch random.number(0...6) {
        case 0: ColumnFormat(unit: nil, type: "timestamp(6) NULL")
        case 1, 2: ColumnFormat(unit: nil, zone: moment.columnZone, type: "datetime(6) NULL")
        case 3: ColumnFormat(unit: nil, zone: moment.columnZone, type: "date NULL")
        case 4:
            ColumnFormat(
                unit: "s-real", epoch: random.pick(nil, "core-data"),
                type: random.pick("double", "decimal(20, 6)"))
        case 5: ColumnFormat(unit: "us", epoch: "chromium", type: "bigint")
        default:
            ColumnFormat(
                unit: random.pick(["s", "ms", "us", "ns"]), type: random.pick("bigint", "bigint unsigned"))
        }
    }

    private static func postgreSQL(_ moment: RunMoment, _ random: inout SampleRandom) -> ColumnFormat {
        switch random.number(0...4) {
        case 0: return ColumnFormat(unit: nil, type: "timestamptz")
        case 1: return ColumnFormat(unit: nil, zone: moment.columnZone, type: "timestamp")
        case 2: return ColumnFormat(unit: nil, zone: moment.columnZone, type: "date")
        case 3: return ColumnFormat(unit: "s-real", type: random.pick("double precision", "numeric"))
        default: return ColumnFormat(unit: random.pick(["s", "ms", "us", "ns"]), type: "bigint")
        }
    }

    /// The value of a time, which is cut off to what the format can hold.
    func value(of nanoseconds: Int64, _ random: inout SampleRandom) -> SampleTime {
        let (second, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
        let zero: Int64 = epoch == "core-data" ? 978_307_200 : epoch == "chromium" ? -11_644_473_600 : 0
        let since = second - zero
        func units(_ perSecond: Int64) -> SampleTime {
            let length = 1_000_000_000 / perSecond
            return SampleTime(
                written: "\(since * perSecond + rest / length)", nanoseconds: nanoseconds - rest % length)
        }
        switch (unit, type) {
        case ("s", _): return units(1)
        case ("ms", _): return units(1_000)
        case ("us", _): return units(1_000_000)
        case ("ns", _): return units(1_000_000_000)
        case ("s-real", _):
            // Fractions that a binary number holds exactly.
            let quarters = rest / 250_000_000
            let fraction = ["", ".25", ".5", ".75"][Int(quarters)]
            return SampleTime(
                written: "\(since)\(fraction)", nanoseconds: second * 1_000_000_000 + quarters * 250_000_000)
        case (_, "timestamptz"), (_, "timestamp(6) NULL"):
            // MariaDB knows no offset here; the session is in UTC.
            let offset = type == "timestamptz" ? "+00" : ""
            return SampleTime(
                written: "'\(Self.written(second))\(Self.fraction(rest / 1_000))\(offset)'",
                nanoseconds: nanoseconds - rest % 1_000)
        default: return text(second, rest / 1_000, &random)
        }
    }

    private func text(_ second: Int64, _ micros: Int64, _ random: inout SampleRandom) -> SampleTime {
        let reading = second + (zone?.offset(at: second) ?? 0)
        let local = Self.written(reading)
        let fraction = Self.fraction(micros)
        /// The latest instant that a local time means.
        func meant(_ reading: Int64, _ micros: Int64) -> Int64 {
            ((zone?.latest(showing: reading) ?? reading) * 1_000_000 + micros) * 1_000
        }
        if ["timestamp", "datetime(6) NULL"].contains(type) {
            return SampleTime(written: "'\(local)\(fraction)'", nanoseconds: meant(reading, micros))
        }
        // A date alone means the end of its day.
        let endOfDay = meant(reading - reading % 86_400 + 86_399, 999_999)
        if type.hasPrefix("date") {
            return SampleTime(written: "'\(local.prefix(10))'", nanoseconds: endOfDay)
        }
        let exact = (second * 1_000_000 + micros) * 1_000
        switch random.number(0...6) {
        case 0: return SampleTime(written: "'\(local.prefix(10))'", nanoseconds: endOfDay)
        case 1:
            let minute = reading - reading % 60
            return SampleTime(written: "'\(local.prefix(16))'", nanoseconds: meant(minute, 0))
        case 2: return SampleTime(written: "'\(Self.written(second))\(fraction)Z'", nanoseconds: exact)
        case 3:
            let offset = random.pick(7_200, -12_600, 20_700, 0)
            let (sign, hour, minute) = (offset < 0 ? "-" : "+", abs(offset) / 3_600, abs(offset) / 60 % 60)
            let colon = random.pick(":", "")
            return SampleTime(
                written:
                    "'\(Self.written(second + Int64(offset)))\(fraction)\(sign)\(Self.two(hour))\(colon)\(Self.two(minute))'",
                nanoseconds: exact)
        default:
            return SampleTime(
                written: "'\(local.replacing(" ", with: random.pick(" ", "T")))\(fraction)'",
                nanoseconds: meant(reading, micros))
        }
    }

    /// Values that are no times in this format.
    var noTimes: [String] {
        switch (unit, type) {
        case (nil, "timestamp(6) NULL"): ["NULL", "'0000-00-00'", "'1999-12-31'", "'1970-01-02'"]
        case (nil, "date NULL"), (nil, "datetime(6) NULL"):
            ["NULL", "'0000-00-00'", "'2020-00-10'", "'1999-12-31'", "'1000-01-01'"]
        case (nil, _): ["NULL", "'infinity'", "'-infinity'", "'1999-12-31'", "'1970-01-01'"]
        case ("iso8601", _):
            [
                "NULL", "'2026-02-30'", "'2026-01-01 24:00'", "'12:00'", "'2026-1-1'", "'1795176000'", "''",
                "1795176000", "'now'", "'2026-04-31T10:00:00Z'", "'2026-01-01 10:00:60'", "'1999-12-30'",
                "'2026-01-01 10:00 '", "x'323032362d30312d3031'", "'2026-01-01T10:00:00+24:00'",
            ]
        case (_, ""):
            [
                "NULL", "7", "-1", "0", "'soon'", "x'31'", "'1795176000'", "9e18", "-9223372036854775808",
                "9223372036854775807",
            ].filter { unit != "ns" || $0 != "9223372036854775807" }
        case (_, "bigint unsigned"): ["NULL", "7", "18446744073709551615", "0"]
        default: ["NULL", "7", "-1", "0"]
        }
    }

    /// `2026-11-20 12:00:00`.
    static func written(_ second: Int64) -> String {
        var (second, parts) = (time_t(second), tm())
        gmtime_r(&second, &parts)
        return "\(parts.tm_year + 1900)-\(two(Int(parts.tm_mon) + 1))-\(two(Int(parts.tm_mday))) "
            + "\(two(Int(parts.tm_hour))):\(two(Int(parts.tm_min))):\(two(Int(parts.tm_sec)))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func fraction(_ micros: Int64) -> String {
        guard micros > 0 else { return "" }
        let digits = String(micros)
        return "." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
