import FoundationEssentials
import Retention

/// The rules that are held, and what people confirmed of them, kept in the state directory.
package struct HoldLedger: Sendable {
    private let file: StateFile<Hold>
    private let directory: String

    /// The ledger of a state directory.
    package init(stateDirectory: String) {
        directory = stateDirectory
        file = Self.file(in: stateDirectory)
    }

    private static func file(in directory: String) -> StateFile<Hold> {
        StateFile(path: directory + "/holds.json", purpose: "remember the holds")
    }

    /// The holds by rule. An unreadable ledger counts as empty: the worst that can follow is a person who is asked once
    /// more.
    package func holds() -> [Name: Hold] {
        var holds = file.read()
        for rule in holds.keys { resolve(&holds[rule], of: rule) }
        return holds
    }

    /// A confirmed run that goes on, or was killed, has written down beside the ledger what it left.
    private func resolve(_ hold: inout Hold?, of rule: Name) {
        guard let begun = hold?.begun, begun.left == nil,
            let left = ConfirmedRest.left(of: rule, in: directory)
        else { return }
        hold?.begun?.left = left
        hold?.seen.expired = left.rows
    }

    static func isDamaged(in directory: String) -> Bool { file(in: directory).isDamaged }

    /// Takes in what became of the rules in a run that began at `date`: which are held, and which are no more because they
    /// ran to their end.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written, as do the others.
    package func record(
        _ reports: [RuleReport], at date: Date, announced: [Name: Date] = [:]
    ) throws(StoreError) {
        let known = holds()
        guard reports.contains(where: { $0.held != nil || known[$0.rule] != nil }) else { return }
        try file.update { holds in
            for report in reports {
                if report.outcome == .done { holds[report.rule] = nil }
                if report.expired != nil { resolve(&holds[report.rule], of: report.rule) }
                guard report.outcome == .held, let seen = report.held else { continue }
                var hold = Self.hold(
                    seen, because: report.failure?.cause ?? "", at: date, after: holds[report.rule])
                hold.announcedAt = announced[report.rule] ?? hold.announcedAt
                holds[report.rule] = hold
            }
        }
        // Of a rule that nobody could count another run may be at work.
        for report in reports where report.expired != nil {
            ConfirmedRest.remove(of: report.rule, in: directory)
        }
    }

    private static func hold(
        _ seen: HeldRule, because cause: String, at date: Date, after last: Hold?
    ) -> Hold {
        guard let last else {
            return Hold(seen: seen, cause: cause, since: date)
        }
        // Confirmed while this run looked, which then had not heard of it.
        if let confirmation = last.confirmation, confirmation.mismatch(with: seen) == nil { return last }
        var seen = seen
        if seen.isRepeat(of: last.seen) {
            // A person is told of a hold once: what may be confirmed does not grow bit by bit behind it.
            (seen.expired, seen.rows) = (last.seen.expired, last.seen.rows)
        }
        return Hold(
            seen: seen, cause: cause, since: last.seen.rule == seen.rule ? last.since : date,
            announcedAt: seen.isRepeat(of: last.seen) ? last.announcedAt : nil)
    }

    /// Marks a hold as confirmed at `date`; returns it, or nil when the rule is not held.
    package func confirm(_ rule: Name, at date: Date) throws(StoreError) -> Hold? {
        guard holds()[rule] != nil else { return nil }
        try file.update { $0[rule]?.confirmedAt = date }
        return holds()[rule]
    }

    /// Remembers that the rule's confirmed deletion of `rows` begins, so that what an early end leaves of it is confirmed,
    /// too, and no other rows. Returns what is to be told which of them went; nil when the rule is not held.
    func begin(_ rule: Name, of rows: RowsFingerprint, at date: Date) throws(StoreError) -> ConfirmedRest? {
        guard holds()[rule] != nil else { return nil }
        let rest = try ConfirmedRest(of: rule, left: rows, in: directory)
        try file.update { holds in
            guard var hold = holds[rule] else { return }
            hold.confirmedAt = hold.confirmedAt ?? date
            hold.begun = Confirmation.Begun(at: date, left: nil)
            // Should it be held again, that is news.
            hold.announcedAt = nil
            holds[rule] = hold
        }
        return rest
    }

    /// Remembers no more that the rule was held: it runs as it is, unheld.
    func forget(_ rule: Name) throws(StoreError) {
        try file.update { $0[rule] = nil }
        ConfirmedRest.remove(of: rule, in: directory)
    }
}

extension Hold {
    /// The confirmation that the service goes by; nil while there is none.
    package var confirmation: Confirmation? { confirmedAt.map { _ in confirmationByHand } }

    /// The confirmation that a person gives who runs the rule by hand.
    var confirmationByHand: Confirmation { Confirmation(seen, begun: begun) }
}
