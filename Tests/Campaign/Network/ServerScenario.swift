/// One kind of rule, on tables that are made anew for each case.
///
/// `items` is the table of the rule; `master.items` has all rows that it began with.
struct ServerScenario: Sendable {
    let name: String
    /// Makes the tables, and `master.items`.
    let setup: String
    /// Makes them as they were in the beginning.
    let fill: String
    /// The rules, as the configuration has them.
    let rules: String
    /// What is true of a row of `master.items` that is to go.
    let due: String
    /// What makes a row of `items` one that has gone: for a rule that deletes, no row has.
    var mark = "false"
    /// Where rows are that have not gone.
    var present = "items"
    /// A query of the rows that have gone without their tombstone, or have one and are there.
    var untold: String?
    /// Whether the rows are in the archive.
    var archives = false
    /// Whether the faults happen to a restore.
    var restores = false

    /// The values of the keys of live rows that are not there as they were.
    var lost: String {
        "SELECT id FROM master.items m WHERE NOT (\(due)) AND NOT EXISTS (SELECT FROM \(present) i WHERE i.* = m.*)"
    }
    /// Of rows that are there and should never have been, or are there twice.
    var foreign: String {
        """
        SELECT id FROM \(present) i WHERE NOT (\(mark)) AND NOT EXISTS (SELECT FROM master.items m WHERE m.* = i.*)
        UNION ALL SELECT id FROM \(present) i GROUP BY id HAVING count(*) > 1
        """
    }
    /// How many rows are to go in all.
    var all: String { "SELECT count(*) FROM master.items m WHERE \(due)" }
    /// How many of them have gone.
    var gone: String {
        """
        SELECT count(*) FROM master.items m WHERE (\(due)) AND NOT EXISTS
        (SELECT FROM \(present) i WHERE i.id = m.id AND NOT (\(mark)))
        """
    }
}
