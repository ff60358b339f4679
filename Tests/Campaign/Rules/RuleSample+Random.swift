extension RuleSample {
    /// For a store of this kind; `mayArchive` says whether its rows can be archived at all.
    init(
        at moment: RunMoment, in kind: StoreKind, mayArchive: Bool = true, schema: String? = nil,
        prefix: String = "", _ random: inout SampleRandom
    ) {
        (self.moment, self.kind) = (moment, kind)
        names = SampleNames(schema: schema, prefix: prefix, &random)
        shape = TableShape(in: kind, &random)
        var format = ColumnFormat.random(in: kind, moment, &random)
        var children: [ChildTable] = []
        rule = SampleRule(on: shape, in: kind, mayArchive: mayArchive, &random)
        // More than a plan may read as a whole.
        let count =
            shape.hasLongRows
            ? 160 : random.chance(0.03) ? 0 : random.chance(0.05) ? 400 : random.number(1...50)
        rows = []
        let misfits = random.chance(0.03)
        let cutoff = rule.span.map { $0.before(moment.now, in: moment.zone) } ?? moment.now
        if format.unit == "ns", Self.isLikeID(cutoff, moment.now) { format.unit = "us" }
        self.format = format
        for tag in 0..<count {
            let time: SampleTime
            if random.chance(misfits ? 0.8 : 0.1) {
                time = SampleTime(written: random.pick(format.noTimes), nanoseconds: nil)
            } else {
                var instant = Self.instant(near: cutoff, moment.now, &random)
                while format.unit == "ns", Self.isLikeID(instant / 1_000_000_000, moment.now) {
                    instant = Self.instant(near: cutoff, moment.now, &random)
                }
                time = format.value(of: instant, &random)
            }
            rows.append(SampleRow(tag, shape, time, isPortable: kind != .file, &random))
        }
        if shape.key != .none, !rule.archives, count > 0, random.chance(0.35) {
            var above = rows.filter { $0.key != ["NULL"] }.map(\.tag)
            for _ in 0..<random.number(1...3) {
                let rows = (0..<random.number(0...40)).map { _ in
                    above.isEmpty || random.chance(0.1) ? nil : random.pick(above)
                }
                children.append(ChildTable(rows: rows))
                above = Array(rows.indices.map { $0 + 1 })
            }
        }
        self.children = children
    }

    /// Whether nanoseconds of this second are also an id of Discord's or Twitter's that was given in the last two years:
    /// a rule that reads those as times is refused.
    private static func isLikeID(_ second: Int64, _ now: Int64) -> Bool {
        let given: Int64 = (second * 1_000_000_000 >> 22) / 1_000
        let year: Int64 = 366 * 86_400
        return [given + 1_420_070_400, given + 1_288_834_974].contains { abs(now - year - $0) < year }
    }

    /// Often near the cutoff, the start of the run, or a change of the app's clock.
    private static func instant(near cutoff: Int64, _ now: Int64, _ random: inout SampleRandom) -> Int64 {
        let second: Int64 =
            switch random.number(0...9) {
            case 0...2: cutoff + random.number(-1...1)
            case 3: now + random.pick(-1, 0, 2, 90_000)
            case 4: cutoff + random.pick(-3_600, 3_600, -7_200, 7_200, 86_399, -86_400)
            case 5: 946_684_800 + random.number(400_000_000...500_000_000)
            default: now - random.number(0...max(10, 2 * (now - cutoff)))
            }
        let rest = random.pick(0, 0, 1, 250_000_000, 500_000_123, 999_999_999) as Int64
        // Between the start of the run and the next second it depends on the unit whether a time lies ahead.
        return second * 1_000_000_000 + (second == now ? 0 : rest)
    }
}

extension SampleRule {
    init(on shape: TableShape, in store: StoreKind, mayArchive: Bool, _ random: inout SampleRandom) {
        if shape.isReferable {
            keepers = [0, 1].filter { _ in random.chance(0.25) }
            if !keepers.isEmpty, random.chance(0.4) { kind = .orphan }
        }
        if kind != .orphan {
            kind = random.chance(0.25) ? .deadline : .age
            if kind == .age || random.chance(0.6) { span = Self.span(&random) }
            if random.chance(0.4) {
                keepLast = random.number(1...8)
                keepLastPer = random.pick([], ["g"], ["h"], ["g", "h"], ["h", "g"])
            }
        }
        if random.chance(0.6) { condition = .random(2, &random) }
        protect = (0..<random.number(0...2)).map { .random($0, &random) }
        if random.chance(0.3) {
            mark = random.pick(
                [("m", "1")], [("m", "1"), ("n", "'it''s'")], [("n", "'gone'")], [("m", "0")], [("m", "-7")])
        } else if store != .mariaDB, random.chance(0.3) {
            // MariaDB knows no tombstones.
            tombstone = SampleTombstone(condition: random.chance(0.6) ? .random(1, &random) : nil)
        }
        archives = mayArchive && random.chance(0.25) && (mark.isEmpty || shape.namesEachRow)
        hasIdentity = archives && random.chance(0.5)
        isQuiet = random.chance(0.05)
    }

    private static func span(_ random: inout SampleRandom) -> CalendarSpan {
        let few = random.number(1...9) as Int64
        return switch random.number(0...9) {
        case 0: CalendarSpan((few * 7, "h"))
        case 1: CalendarSpan((few, "w"))
        case 2: CalendarSpan((few, "month"))
        case 3: CalendarSpan((few, "y"))
        case 4: CalendarSpan((few, "d"), (few + 3, "h"))
        case 5: CalendarSpan((few, "month"), (few, "d"), (90, "min"))
        case 6: CalendarSpan((few, "d"), (1_500, "ms"))
        case 7: CalendarSpan((few * 1_000, "s"))
        default: CalendarSpan((few * 10, "d"))
        }
    }
}

extension SampleRow {
    init(
        _ tag: Int, _ shape: TableShape, _ time: SampleTime, isPortable: Bool, _ random: inout SampleRandom
    ) {
        self.tag = tag
        self.time = time
        let texts = ["k\(tag)", "K \(tag)", "it''s \(tag)", "é\(tag)", "\(tag)", "\(tag)\n\"x\""]
        let text = "'\(random.pick(texts))'"
        switch shape.key {
        case .integer:
            let odd = isPortable ? 2_000_000_000 + tag : Int.max - tag
            key = ["\(random.chance(0.05) ? random.pick(odd, -odd, -tag - 1) : tag * 3)"]
        case .text:
            let isOdd = !isPortable && random.chance(0.04)
            key = [isOdd ? (shape.isWithoutRowID ? "x'6b\(100 + tag)0'" : "NULL") : text]
        case .pair: key = ["\(tag / 5)", text]
        case .none: key = []
        }
        func number(_ share: Double) -> Int? { random.chance(share) ? nil : random.number(0...3) }
        numbers = ["a": number(0.1), "b": number(0.3)]
        self.text = random.chance(0.2) ? nil : random.pick(SampleCondition.texts + ["X", "X"])
        ignoresCase = shape.ignoresCase
        groups = [
            "g": random.pick(["NULL", "'a'", "'A'", "'a '", "'b'"] + (isPortable ? [] : ["1", "2"])),
            "h": random.pick("NULL", "1", "2"),
        ]
        marks = [
            "m": random.pick("NULL", "0", "0", "1"), "n": random.pick("NULL", "''", "'gone'", "'it''s'"),
        ]
        hash = "h\(random.number(0...20))"
        labels = Set((0..<3).filter { _ in random.chance(0.2) })
        keepers = key == ["NULL"] ? [] : Set((0..<2).filter { _ in random.chance(0.2) })
    }
}
