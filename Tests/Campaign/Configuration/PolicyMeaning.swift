import Foundation

/// What the text of a configuration says, by a reading of the manual page of the tests' own.
struct PolicyMeaning {
    /// The text must be refused, because of this.
    struct Refused: Error { let why: String }

    /// One rule: SQL of the rows that go for certain, and of those that may go.
    struct Rule {
        let table: String
        let goes: String
        let mayGo: String
    }

    private(set) var rules: [Rule] = []
    /// Whether it says something of which the tests know only that it is no error.
    private(set) var isPartlyUnknown = false

    private static let storeKeys: Set = [
        "path", "url", "max_lag", "max_slot_wal", "max_rows_per_s", "reclaim", "quiet", "preset", "prefix",
        "accept_columns",
        "skip_while_locked",
        "triggers", "schema",
    ]
    private static let ruleKeys: [String: Kind] = [
        "store": .string, "table": .string, "age_column": .string, "expires_column": .string, "keep": .span,
        "grace": .span, "unit": .string, "epoch": .string, "column_zone": .string, "every": .span,
        "where": .string,
        "protect": .strings, "dependents": .unknown, "kept_by": .strings, "keep_last": .integer,
        "keep_last_per": .strings, "action": .unknown, "tombstone": .unknown, "identity": .unknown,
        "source_window": .unknown, "archive": .bool, "archive_keep": .span, "quiet": .bool,
        "partitions": .unknown,
        "guard": .guard,
    ]

    private enum Kind { case string, strings, span, integer, bool, `guard`, unknown }

    /// Throws ``Refused``. `files` are the main file and its drop-ins, in their order.
    init(_ files: [[UInt8]], now: Int) throws {
        var root: [String: PlainValue] = [:]
        for file in files {
            do { root = Self.merge(root, try PlainTOML.read(file)) } catch is PlainTOML.Broken {
                throw Refused(why: "it is no TOML")
            }
        }
        for (key, value) in root {
            switch (key, value) {
            case ("time_zone", .string(let zone)):
                guard TimeZone(identifier: zone) != nil else { throw Refused(why: "time_zone") }
            case ("metrics_file", _), ("archive", .table): isPartlyUnknown = true
            case ("guard", .table(let limits)): try readGuard(limits)
            case ("batch", .table(let batch)):
                for (key, value) in batch {
                    guard key == "lock_time", case .string(let text) = value, let span = Span(text),
                        span.longest <= 1.0 / 86_400
                    else { throw Refused(why: "batch.\(key)") }
                }
            case ("store", .table), ("rule", .table): break
            default: throw Refused(why: key)
            }
        }
        guard case .table(let stores) = root["store"] ?? .table([:]), case .table(let rules) = root["rule"],
            !rules.isEmpty, !stores.isEmpty
        else { throw Refused(why: "no rules or no stores") }
        for (name, store) in stores {
            guard case .table(let keys) = store, Set(keys.keys).isSubset(of: Self.storeKeys) else {
                throw Refused(why: "store.\(name)")
            }
            if Set(keys.keys) != ["path"] { isPartlyUnknown = true }
            guard keys["url"] != nil || keys["path"] == .string("app.sqlite") else {
                isPartlyUnknown = true
                continue
            }
        }
        for (name, rule) in rules {
            guard case .table(let keys) = rule else { throw Refused(why: "rule.\(name)") }
            do { try read(keys, stores: Set(stores.keys), now: now) } catch let refused as Refused {
                throw Refused(why: "rule.\(name): \(refused.why)")
            }
        }
    }

    private static func merge(_ below: [String: PlainValue], _ above: [String: PlainValue]) -> [String:
        PlainValue]
    {
        below.merging(above) { old, new in
            if case .table(let old) = old, case .table(let new) = new { .table(merge(old, new)) } else { new }
        }
    }

    private mutating func readGuard(_ limits: [String: PlainValue]) throws {
        for (key, value) in limits {
            switch (key, value) {
            case ("max_share", .float(let share)) where share > 0 && share <= 1: break
            case ("max_share", .integer(1)): break
            case ("min_rows", .integer(let rows)) where rows >= 0: break
            default: throw Refused(why: "guard.\(key)")
            }
        }
    }

    private mutating func read(_ rule: [String: PlainValue], stores: Set<String>, now: Int) throws {
        for (key, value) in rule {
            switch (Self.ruleKeys[key], value) {
            case (.string, .string(let text)): guard !text.isEmpty else { throw Refused(why: key) }
            case (.bool, .bool), (.strings, .string): break
            case (.span, .string(let text)): guard Span(text) != nil else { throw Refused(why: key) }
            case (.integer, .integer(let number)): guard number >= 1 else { throw Refused(why: key) }
            case (.strings, .array(let parts)):
                for part in parts { guard case .string = part else { throw Refused(why: key) } }
            case (.guard, .table(let limits)): try readGuard(limits)
            case (.unknown, _): isPartlyUnknown = true
            default: throw Refused(why: key)
            }
        }
        func text(_ key: String) -> String? { if case .string(let text) = rule[key] { text } else { nil } }
        func texts(_ key: String) -> [String] {
            switch rule[key] {
            case .string(let text): [text]
            case .array(let parts): parts.map { if case .string(let text) = $0 { text } else { "" } }
            default: []
            }
        }
        guard let table = text("table") else { throw Refused(why: "no table") }
        guard let store = text("store") ?? (stores.count == 1 ? stores.first : nil), stores.contains(store)
        else {
            throw Refused(why: "store")
        }
        if rule["archive_keep"] != nil, rule["archive"] != .bool(true) { throw Refused(why: "archive_keep") }
        if rule["keep_last_per"] != nil, rule["keep_last"] == nil, texts("keep_last_per") != [] {
            throw Refused(why: "keep_last_per")
        }
        let units = ["s", "ms", "us", "ns", "s-real", "iso8601"]
        guard units.contains(text("unit") ?? "s"),
            ["unix", "core-data", "chromium"].contains(text("epoch") ?? "unix")
        else { throw Refused(why: "unit or epoch") }
        let old: (sure: String, possible: String)
        switch (text("age_column"), text("expires_column"), text("keep"), text("grace")) {
        case (let column?, nil, let keep?, nil):
            old = Self.older(column, Span(keep), rule, now)
        case (nil, let column?, nil, let grace):
            old = Self.older(column, grace.map { Span($0) } ?? Span.none, rule, now)
        case (nil, nil, nil, nil) where !texts("kept_by").isEmpty && rule["keep_last"] == nil:
            old = ("1", "1")
        default: throw Refused(why: "its times")
        }
        var stays =
            texts("protect").map { "(\($0)\n) IS FALSE" }
            + (text("where").map { ["(\($0)\n) IS TRUE"] } ?? [])
        stays += try texts("kept_by").map { reference in
            let parts = reference.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Refused(why: "kept_by") }
            return "NOT EXISTS (SELECT 1 FROM \(parts[0]) AS k WHERE k.\(parts[1]) = \(table).id)"
        }
        if case .integer(let count) = rule["keep_last"] {
            let column = text("age_column") ?? text("expires_column") ?? ""
            let same = texts("keep_last_per").map { " AND n.\($0) IS \(table).\($0)" }.joined()
            stays.append(
                "\(count) <= (SELECT count(*) FROM \(table) AS n WHERE n.\(column) > \(table).\(column)\(same))"
            )
        }
        rules.append(
            Rule(
                table: table, goes: ([old.sure] + stays).joined(separator: " AND "),
                mayGo: ([old.possible] + stays).joined(separator: " AND ")))
    }

    /// SQL of the rows that are older than `span` for certain, and of those that may be: months and zones differ by days.
    private static func older(
        _ column: String, _ span: Span?, _ rule: [String: PlainValue], _ now: Int
    ) -> (String, String) {
        let unit = rule["unit"] ?? .string("s")
        let names = ["at": "s", "expires": "s", "ms": "ms", "iso": "iso8601"]
        guard let span, rule["epoch"] ?? .string("unix") == .string("unix"),
            names[column.lowercased()].map({ PlainValue.string($0) }) == unit
        else { return ("0", "0") }
        return ("at < \(now) - 86400 * \(span.longest + 1.5)", "at < \(now) - 86400 * \(span.shortest - 1.5)")
    }

    /// A length of time, in days of which months and years have more or fewer.
    private struct Span {
        var shortest = 0.0
        var longest = 0.0

        static let none = Span()
        private init() {}

        init?(_ text: String) {
            let units: [String: (Double, Double)] = [
                "ms": (1 / 86_400_000, 1 / 86_400_000), "s": (1 / 86_400, 1 / 86_400),
                "min": (1 / 1440, 1 / 1440),
                "h": (1 / 24, 1 / 24), "d": (1, 1), "w": (7, 7), "month": (28, 31), "y": (365, 366),
            ]
            guard text.wholeMatch(of: /\s*([0-9]+[a-z]+\s*)+/) != nil else { return nil }
            var seen: Set<String> = []
            for part in text.matches(of: /([0-9]+)([a-z]+)/) {
                guard let amount = Double(part.1), let unit = units[String(part.2)],
                    seen.insert(String(part.2)).inserted
                else { return nil }
                shortest += amount * unit.0
                longest += amount * unit.1
            }
            guard longest > 0, shortest <= 366_001 else { return nil }
        }
    }
}
