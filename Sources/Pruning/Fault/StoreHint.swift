/// What helps against errors that every kind of store has.
package enum StoreHint {
    package static let rolledBack = "uncommitted changes were rolled back"
    package static let changingTables =
        "its app may be changing its tables: `pruned check` says whether the rules still fit"
    package static let stillReferredTo =
        "another row still refers to an expired one; kept_by = \"table.column\" keeps such rows"
    package static let refusingTrigger = "such rows can stay: write the trigger's condition into protect"
    package static let protectByKey =
        "let the app delete what refers to such rows, or name their keys in protect"
    package static let leaveToApp = "leave such a table to its app"

    /// Rows that are still there after those that refer to them.
    package static func circle(in table: String) -> String {
        "rows of \(table) may refer to each other in a circle, which only its app can break"
    }
}
