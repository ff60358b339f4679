import FoundationEssentials
import Glibc
import Pruning
import Retention
import TerminalText

/// A status as text. No line is longer than the style permits.
struct StatusText: CustomStringConvertible {
    let report: StatusReport
    let length: ScreenLength
    let style: TextStyle

    var description: String {
        let table = shownRules.isEmpty ? [] : ruleTable
        let blocks =
            [head, summary, table, progress, troubles, backlogs, returns] + holds + [stores, deletions]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
            + "\n"
    }

    private static let indent = "    "

    // MARK: - The service

    private var head: [String] {
        let service = report.isServing.map { $0 ? "runs" : "does not run on this state directory" }
        var facts = [
            ("service", service),
            ("policy", report.refusal == nil ? report.configuration ?? "the built-in one" : nil),
            ("", dropIns),
            ("refused", report.refusal?.reason), ("", report.refusal?.hint),
            ("in force", inForce),
            ("state", report.stateDirectory + published),
        ]
        facts += report.damaged.flatMap { [("damaged", $0.reason), ("", $0.hint)] }
        facts += report.remarks.map { ("stores", $0) }
        if let doubt = report.clockDoubt {
            facts.append(("clock", "not believed, so nothing is deleted: \(doubt.cause)"))
        }
        let lines = facts.flatMap { name, text in text.map { self.lines(name, $0) } ?? [] }
        guard let command = report.clockCommand else { return lines }
        return lines + self.lines("", "if it is right:")
            + CommandLines(command: command, width: style.width - 9).lines.map { Self.label("") + $0 }
    }

    private var published: String {
        report.publishedAt.map { ", as its owner published it at \($0.local(in: report.timeZone))" } ?? ""
    }

    private var inForce: String? {
        report.inForceSince.map { since in
            let read =
                "the configuration that the service read at \(since.local(in: report.timeZone).dropLast(3)), shown here"
            let reload = "; the files have changed since, and a reload of the service reads them"
            return report.refusal == nil ? read + reload : read
        }
    }

    /// The drop-ins by name, if the names fit on a line.
    private var dropIns: String? {
        guard let first = report.dropIns.first else { return nil }
        let directory = first.parentPath
        let names = report.dropIns.map(\.lastName).joined(separator: ", ")
        let text = "with \(names) of \(directory)"
        return text.onOneLine.columns <= style.width - 9
            ? text : "with \(report.dropIns.count) files of \(directory)"
    }

    private func lines(_ name: String, _ text: String) -> [String] {
        style.fitted(text.onOneLine, indent: 9).enumerated().map { index, line in
            index == 0
                ? style.shown(name, as: Emphasis(of: name)) + Self.label("").dropFirst(name.columns) + line
                : Self.label("") + line
        }
    }

    private static func label(_ name: String) -> String { name.padded(to: 9) }

    // MARK: - The rules

    /// The numbers of stores and of rules in each state, where not all are shown.
    private var summary: [String] {
        guard !length.isWhole else { return [] }
        let states = RuleState.allCases.compactMap { state -> String? in
            let count = report.rules.count { $0.state == state }
            return count > 0 ? "\(count.grouped) \(state.rawValue)" : nil
        }
        let (bytes, free) = report.stores.compactMap(\.space).reduce((0, 0)) {
            ($0.0 + $1.bytes, $0.1 + $1.freeBytes)
        }
        let stores =
            "\(report.storeCount.counted("store")) of \(bytes.bytes), \(free.bytes) of them free"
        let rules = "\(report.rules.count.counted("rule")): \(states.joined(separator: ", "))"
        return style.fitted("\(stores); \(rules)") + length.remark(style)
    }

    private var shownRules: [RuleStatus] {
        length.isWhole
            ? report.rules : report.rules.filter { ![.new, .done, .confirmed].contains($0.state) }
    }

    private var ruleTable: [String] {
        RuleTable(
            rules: groups(of: shownRules) { "\($0.state)" }, isServing: report.isServing == true,
            timeZone: report.timeZone,
            now: report.at, style: style
        ).lines
    }

    /// The rules, with those together that a family's stores have in common and of which `key` is the same.
    private func groups(of rules: [RuleStatus], by key: (RuleStatus) -> String) -> [[RuleStatus]] {
        rules.grouped { [length == .each ? "\($0.rule)" : $0.general($0.rule.description), key($0)] }
    }

    /// Such as "freshrss/*-articles (3 stores)".
    private static func name(of group: [RuleStatus]) -> String {
        let rule = group[0]
        guard group.count > 1 else { return rule.rule.description }
        return "\(rule.general(rule.rule.description)) (\(group.count.counted("store")))"
    }

    /// The reasons for the states of rules. Reasons of holds are shown with the holds, and that of the clock in the
    /// head.
    private var troubles: [String] {
        let held = Set(report.holds.map(\.rule))
        let told = report.rules.filter { rule in
            rule.reason != nil
                && !(rule.state == .held && (report.clockDoubt != nil || held.contains(rule.rule)))
        }
        let same = groups(of: told) {
            "\($0.state) \($0.general([$0.reason, $0.hint].compactMap(\.self).joined()))"
        }
        return same.flatMap { group -> [String] in
            let rule = group[0]
            guard let reason = rule.reason else { return [] }
            return style.fitted("\(Self.name(of: group)): \(rule.state.rawValue)")
                + [reason, rule.hint].compactMap(\.self).flatMap(indented)
        }
    }

    /// How far runs are, but for those that a hold tells of.
    private var progress: [String] {
        let held = Set(report.holds.filter { $0.progress != nil }.map(\.rule))
        return report.rules.flatMap { rule -> [String] in
            guard let progress = rule.progress, !held.contains(rule.rule) else { return [] }
            return style.fitted("\(rule.rule): \(text(progress, marks: rule.marks))")
        }
    }

    /// What runs left that met a limit of their time. Others that left rows have told why.
    private var backlogs: [String] {
        report.rules.flatMap { rule -> [String] in
            guard let backlog = rule.backlog, backlog.left > 0, rule.waitsForNextRun || backlog.grows else {
                return []
            }
            let rows = "\(backlog.left.grouped) expired row\(backlog.left == 1 ? " is" : "s are") left"
            guard backlog.grows else { return style.fitted("\(rule.rule): \(rows)") }
            return style.fitted("\(rule.rule): \(rows), more after each of the last \(Backlog.runs) runs")
                + indented(
                    "more rows expire than are deleted: lengthen between or max_run, or keep fewer rows")
        }
    }

    /// The rows that the last runs found in the store again.
    private var returns: [String] {
        report.rules.flatMap { rule -> [String] in
            guard let returned = ReturnedRows(rule.cameBack, marks: rule.marks) else { return [] }
            return style.fitted("\(rule.rule): \(returned.text)") + (returned.hint.map(indented) ?? [])
        }
    }

    /// Of a family's many the first few.
    private var holds: [[String]] {
        let stores = Dictionary(report.rules.map { ($0.rule, $0) }) { $1 }
        let families = report.holds.grouped { held in
            (length == .each ? nil : stores[held.rule]?.general(held.rule.description))
                ?? held.rule.description
        }
        return families.flatMap { held -> [[String]] in
            let rest = held.count - Self.mostHolds
            guard rest > 0, let name = stores[held[0].rule]?.general(held[0].rule.description) else {
                return held.map(lines)
            }
            return held.prefix(Self.mostHolds).map(lines) + [
                style.fitted(
                    "\(name): \(rest.grouped) more are held; --all shows them, and `pruned confirm '\(name)'` asks for each"
                )
            ]
        }
    }

    private static let mostHolds = 3

    private func lines(_ held: HoldStatus) -> [String] {
        let title = "\(held.rule): \(self.title(held))"
        let cause = held.progress.map { text($0, marks: held.action.isMark) } ?? held.cause
        var lines = style.fitted(title) + [cause, held.hint].compactMap(\.self).flatMap(indented)
        if let confirmed = held.confirmedAt, held.waitsFor == nil, !held.isLeftover {
            let when = report.isServing == true ? "soon" : "when it runs"
            lines += indented(
                "confirmed at \(confirmed.local(in: report.timeZone).dropLast(3)): the service \(held.action.infinitive)s the rows \(when)"
            )
        }
        guard !held.commands.isEmpty else { return lines }
        return lines + indented("to \(held.action.infinitive) these rows:")
            + held.commands.flatMap { command in
                CommandLines(command: command, width: style.width - 6).lines.map { "      " + $0 }
            }
    }

    /// For example "216 of 3,071 marked, about 4 min left".
    private func text(_ progress: RunProgress, marks: Bool) -> String {
        "\(progress.done.grouped) of \(progress.all.grouped) \(marks ? "marked" : "deleted")"
            + (progress.left.map { ", about \($0.roughText) left" } ?? "")
    }

    private func title(_ held: HoldStatus) -> String {
        let confirmed = held.isLeftover ? held.confirmedAt : nil
        let date = (confirmed ?? held.since).local(in: report.timeZone).dropLast(3)
        return (confirmed == nil ? "held since " : "confirmed at ") + date
    }

    private func indented(_ text: String) -> [String] {
        style.fitted(text.onOneLine, indent: Self.indent.count).map { Self.indent + $0 }
    }

    // MARK: - The stores

    private var shownStores: [StoreStatus] {
        length.isWhole
            ? report.stores : report.stores.filter { !$0.exists || $0.failure != nil || $0.holder != nil }
    }

    private var stores: [String] {
        guard !shownStores.isEmpty else { return [] }
        let groups = shownStores.grouped { store in
            length == .each || store.failure != nil || !store.exists || store.name.family == nil
                ? store.path : "\(store.name.family.map { "\($0)/*" } ?? "")"
        }
        let begin = groups.map { group in
            // The stores of one database have the size of all of it.
            let spaces = group.grouped(by: \.path).compactMap(\.[0].space)
            let name =
                group.count == 1
                ? "\(group[0].name)" : "\(group[0].name.general(of: group[0].name)) (\(group.count))"
            return [
                name, spaces.isEmpty ? "-" : spaces.map(\.bytes).reduce(0, +).bytes,
                spaces.isEmpty ? "-" : spaces.map(\.freeBytes).reduce(0, +).bytes,
            ]
        }
        // Leaves space for the path.
        let room = style.isScreen ? style.width - 14 : .max
        let header = ["store", "size", "free"]
        let table = TextTable(
            header: header, rows: begin, numbers: [1, 2], widest: style.isScreen ? [20] : []
        ).lines(within: room)
        let width = table.map(\.columns).max() ?? 0
        let paths = groups.map { group -> String in
            let store = group[0]
            let state = store.exists ? "" : "not there yet: "
            let left = style.tableWidth - width - 2 - state.columns
            return state + (store.path + (group.count > 1 ? ", …" : "")).onOneLine.ending(inColumns: left)
        }
        let lines = zip(table, ["path"] + paths).map { $0.padded(to: width) + "  " + $1 }
        return lines.prefix(1).map { style.shown($0, as: .heading) } + lines.dropFirst()
            + shownStores.flatMap(notes)
    }

    private func notes(_ store: StoreStatus) -> [String] {
        let failure = store.failure.map { [$0.reason, $0.hint].compactMap(\.self) } ?? []
        let vacuum = store.vacuum.map { [Self.advice($0, on: store.path.lastName)] } ?? []
        let holder = store.holder.map { ["\(store.name): a run is at work, \($0)"] } ?? []
        return (holder + failure + vacuum + trend(store)).flatMap(indented)
    }

    /// What VACUUM of a file would take.
    static func advice(_ vacuum: (freePercent: Int, bytes: Int64, duration: Duration), on file: String)
        -> String
    {
        "\(vacuum.freePercent) % of \(file) is free; VACUUM needs \(vacuum.bytes.bytes) and about \(vacuum.duration.roughText)"
    }

    /// How large it was when runs first changed it, if that is known and was otherwise.
    private func trend(_ store: StoreStatus) -> [String] {
        guard let first = report.sizes[store.name.description]?.first, let space = store.space,
            first.bytes != space.bytes || first.freeBytes != space.freeBytes
        else { return [] }
        return ["\(store.name): \(first.bytes.bytes) on \(first.day), \(first.freeBytes.bytes) of it free"]
    }

    private var deletions: [String] {
        DeletionsText(deletions: report.deletions, style: style).lines
    }
}

extension String {
    /// The longest end of the text that fits into `width` columns, after "…" if something was cut off. The end of a
    /// path is what distinguishes it from others.
    fileprivate func ending(inColumns width: Int) -> String {
        guard columns > width else { return self }
        var end = Substring(self)
        while !end.isEmpty, String(end).columns > width - 1 { end = end.dropFirst() }
        return "…" + end
    }
}

/// The rows deleted or marked in the last two weeks, with a bar for each day. No line is longer than the style permits.
struct DeletionsText {
    let deletions: DailyDeletions
    let style: TextStyle

    var lines: [String] {
        guard deletions.total > 0 else { return ["rows deleted or marked in two weeks: none"] }
        let numbers = deletions.days.map(\.rows.grouped)
        let most = deletions.days.map(\.rows).max() ?? 0
        let width = numbers.map(\.columns).max() ?? 0
        let rows = zip(deletions.days, numbers).map { day, number in
            let begin = "  \(day.day)  " + number.padded(to: width, rightAligned: true)
            let bar = BarText(day.rows, of: most, room: style.width - begin.columns - 2, style).description
            return bar.isEmpty ? begin : begin + "  " + bar
        }
        return ["rows deleted or marked in two weeks: \(deletions.total.grouped)"] + rows
    }
}
