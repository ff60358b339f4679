import FoundationEssentials

/// Why a rule takes one row, or leaves it.
package struct RowJudgement: Codable, Equatable, Sendable {
    /// What the next run would do with the row.
    package enum Verdict: String, Sendable {
        /// It would delete or mark the row.
        case goes
        case stays
        /// The row has the rule's mark already.
        case done
    }

    /// A condition that the rule sets, by its key in the configuration.
    package struct Check: Codable, Equatable, Sendable {
        /// Such as `keep`, `where`, `protect`; `lease` for a row that was put back.
        package let key: String
        /// What is asked, as the configuration says it.
        package let text: String
        /// Whether the row may go as far as this condition is concerned.
        package let allows: Bool
        /// What was found, for a person.
        package let finding: String

        package init(_ key: String, _ text: String, allows: Bool, finding: String) {
            (self.key, self.text, self.allows, self.finding) = (key, text, allows, finding)
        }
    }

    /// The value of the time column, as SQL; nil for a rule without a time.
    package let value: String?
    /// What the value means; nil if it is not a time of the rule's format.
    package let time: Date?
    /// From when on a run takes the row for old enough; nil if it never does.
    package let expiresAt: Date?
    /// Whether the row has the rule's mark.
    package let isDone: Bool
    /// All conditions, in the order in which a person would ask.
    package let checks: [Check]
    /// What may yet refuse to let the row go.
    package let refusing: RefusingTriggers

    package init(
        value: String?, time: Date?, expiresAt: Date?, isDone: Bool, checks: [Check],
        refusing: RefusingTriggers = RefusingTriggers([])
    ) {
        (self.value, self.time, self.expiresAt) = (value, time, expiresAt)
        (self.isDone, self.checks, self.refusing) = (isDone, checks, refusing)
    }

    package var verdict: Verdict {
        if isDone { return .done }
        return checks.allSatisfy(\.allows) ? .goes : .stays
    }
}
