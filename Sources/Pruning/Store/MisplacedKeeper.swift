import Retention

/// A column of `kept_by` that is the key of another table, and refers to nothing: the rule's table refers to it. It would
/// keep only rows that have a key in common with the other table by chance.
package struct MisplacedKeeper: Sendable {
    let keeper: ColumnReference
    let kept: String
    let referring: String

    /// `kept` is the rule's table, whose column `referring` has the keys of the table of `keeper`.
    package init(_ keeper: ColumnReference, kept: String, referring: String) {
        (self.keeper, self.kept, self.referring) = (keeper, kept, referring)
    }

    package var cause: String {
        "kept_by names \(keeper), the key of \(keeper.table), which refers to nothing: \(kept).\(referring) refers to it"
    }

    package var hint: String {
        let exists = "EXISTS (SELECT 1 FROM \(keeper.table) WHERE \(keeper) = \(kept).\(referring))"
        return
            "kept_by names a column of another table that has keys of \(kept); rows whose row of \(keeper.table) is there stay"
            + " by protect = [\"\(exists)\"], in a rule with an age_column"
    }

    /// How many rows are looked at where no foreign key tells.
    package static let sample = 1_000

    /// Whether a column of which so many of `rows` values are keys of another table refers to that table.
    package static func refers(_ found: Int64, of rows: Int64) -> Bool { rows > 0 && found * 2 >= rows }
}
