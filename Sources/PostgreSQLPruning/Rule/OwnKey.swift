import Pruning
import Retention
import RuleEngine

/// A foreign key by which rows of a rule's table refer to others of it. Whatever it does when these are deleted, it finds
/// nothing to do, since the rows that refer go first.
struct OwnKey: Equatable {
    let key: ForeignKeyConstraint
    /// The collation of each column that is referred to, as it follows an expression.
    private let collations: [String]

    /// Throws a ``SchemaMismatch`` if a batch cannot follow it.
    init(_ key: ForeignKeyConstraint, of relation: Relation, in connection: Connection) throws {
        guard !key.isOfPeriods else {
            throw SchemaMismatch(
                "rows of \(relation.description) refer to others of it by PERIOD (foreign key \(key.name)), which no batch follows",
                hint: StoreHint.leaveToApp)
        }
        for name in key.childColumns + key.parentColumns {
            try relation[name]?.refuseOwnOperators(
                "foreign key \(key.name) compares", of: relation, hint: StoreHint.leaveToApp)
        }
        try key.requireComparable(relation, with: relation, in: connection)
        try key.requireIndex(on: relation, deletingFrom: relation, in: connection)
        self.key = key
        collations = try connection.collations(of: key.parentColumns, of: relation.oid)
    }

    /// SQL that is true if the row `child` refers to the row `parent`.
    func matches(child: String, parent: String) -> String {
        zip(zip(key.childColumns, key.parentColumns), collations).map {
            "\(child).\($0.0.quotedIdentifier) = \(parent).\($0.1.quotedIdentifier)\($1)"
        }.joined(separator: " AND ")
    }
}
