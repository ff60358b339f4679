import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The rules that are held, and what people confirmed.
extension LedgerTables {
    /// By rule.
    package func holds() throws -> [Name: Hold] {
        let rows = try db.rows(
            """
            SELECT rule, seen, cause, since, confirmed_at, begun_at, announced_at, rows FROM hold
            LEFT JOIN confirmed_rest USING (rule)
            """)
        var holds: [Name: Hold] = [:]
        for row in rows {
            guard let name = Name(row[0].string) else { continue }
            var hold = Hold(
                seen: try Self.decoded(row[1].string), cause: row[2].string,
                since: Self.date(microseconds: row[3].integer), announcedAt: Self.date(row[6]))
            hold.confirmedAt = Self.date(row[4])
            if let begun = Self.date(row[5]) {
                let left = RowsFingerprint(stored: row[7])
                hold.begun = Hold.Begun(at: begun, left: left)
                hold.begunRows = hold.seen.expired
                if let left { hold.seen.expired = left.rows }
            }
            holds[name] = hold
        }
        return holds
    }

    /// The store at `old` is now at `new`: what is held and confirmed there stays so.
    package func moveHolds(from old: String, to new: String) throws {
        try db.execute(
            "UPDATE hold SET seen = json_set(seen, '$.store_path', :new) WHERE seen ->> '$.store_path' = :old",
            ["old": .text(old), "new": .text(new)])
    }

    private func set(_ hold: Hold?, of rule: Name) throws {
        // A foreign key also deletes the record of the rest of a confirmed deletion.
        try db.execute("DELETE FROM hold WHERE rule = :rule", ["rule": .text(rule.description)])
        guard let hold else { return }
        try db.execute(
            "INSERT INTO hold VALUES (:rule, :seen, :cause, :since, :confirmed, :begun, :announced)",
            [
                "rule": .text(rule.description), "seen": .text(try Self.json(hold.seen)),
                "cause": .text(hold.cause), "since": Self.value(hold.since),
                "confirmed": Self.value(hold.confirmedAt), "begun": Self.value(hold.begun?.at),
                "announced": Self.value(hold.announcedAt),
            ])
        if let left = hold.begun?.left { try setRest(left, of: rule) }
    }

    private func setRest(_ left: RowsFingerprint, of rule: Name) throws {
        try db.execute(
            "REPLACE INTO confirmed_rest VALUES (:rule, :rows)",
            ["rule": .text(rule.description), "rows": left.stored])
    }

    /// Records which rules a run that began at `date` held. Rules that ran to their end are no longer held.
    package func recordHolds(
        _ reports: [RuleReport], at date: Date, announced: [Name: Date] = [:]
    ) throws {
        let known = try holds()
        for report in reports {
            var hold = known[report.rule]
            if report.outcome == .done { hold = nil }
            if report.outcome == .held, let seen = report.held {
                let cause = report.failure?.cause ?? ""
                var next =
                    hold?.seen(again: seen, because: cause, at: date)
                    ?? Hold(seen: seen, cause: cause, since: date)
                next.announcedAt = announced[report.rule] ?? next.announcedAt
                hold = next
            }
            if hold != known[report.rule] { try set(hold, of: report.rule) }
        }
    }

    /// Records that a hold was confirmed at `date`. Returns the hold, or nil if the rule is not held.
    package func confirm(_ rule: Name, at date: Date) throws -> Hold? {
        guard var hold = try holds()[rule] else { return nil }
        hold.confirmedAt = date
        try set(hold, of: rule)
        return hold
    }

    /// Records that the rule's deletion of `rows` begins; false when the hold is no longer the one that was confirmed.
    func beginConfirmed(
        _ rule: Name, by confirmed: Hold, of rows: RowsFingerprint, at date: Date
    ) throws -> Bool {
        guard var hold = try holds()[rule], hold.isConfirmed(with: confirmed) else { return false }
        hold.confirmedAt = hold.confirmedAt ?? date
        hold.begun = Hold.Begun(at: date, left: rows)
        // If the rule is held again, that is announced again.
        hold.announcedAt = nil
        try set(hold, of: rule)
        return true
    }

    func forgetHold(of rule: Name) throws { try set(nil, of: rule) }
}

extension RowsFingerprint {
    /// A value of constant length, so that SQLite writes it in place: two numbers of eight bytes, the lowest byte
    /// first.
    var stored: DatabaseValue {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: rows.littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.append(contentsOf: $0) }
        return .blob(bytes)
    }

    fileprivate init?(stored: DatabaseValue) {
        guard case .blob(let bytes) = stored, bytes.count == 16 else { return nil }
        let numbers = [0, 8].map { start in
            bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        self.init(rows: Int64(bitPattern: numbers[0]), sum: numbers[1])
    }
}
