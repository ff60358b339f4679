/// Why a store was not filled with sample rows.
struct SampleError: Error, CustomStringConvertible {
    let path: String
    let table: String

    var description: String {
        "cannot fill the store \(path): its table \(table) has rows already (sample rows only go into an empty "
            + "store: name another directory with --state-dir)"
    }
}
