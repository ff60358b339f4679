@testable import PostgreSQLPruning

extension CatalogFacts {
    /// The facts as text, which ``init(_:)`` reads.
    var text: String {
        tables.values.sorted { $0.name < $1.name }.map(\.text).joined(separator: "\n") + "\n"
    }
}

extension CatalogFacts.Table {
    fileprivate var text: String {
        let columns = self.columns.map { column in
            "column \(column.name.sqlName) \(column.typeText)" + (column.isNotNull ? " not null" : "")
                + (column.isGenerated ? " generated" : "")
        }
        let key =
            primaryKey.isEmpty ? [] : ["primary key (\(primaryKey.map(\.sqlName).joined(separator: ", ")))"]
        let uniques = uniqueIndexes.map { "unique \($0.joinedAsSQL)" }.sorted()
        let foreign = foreignKeys.map { "foreign key \($0.joinedAsSQL)" }.sorted()
        let triggers = self.triggers.map { "trigger \($0.key.sqlName) \($0.value.joined(separator: " "))" }
            .sorted()
        let lines = columns + key + uniques + foreign + triggers
        return
            (["table \(name.split(separator: ".").map { String($0).sqlName }.joined(separator: "."))"]
            + lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
