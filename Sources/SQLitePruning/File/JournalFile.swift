import Glibc
import SQLite

/// The rollback journal of a store. Its app may leave it between two transactions, cut to nothing or with a header of zeros
/// (`PRAGMA journal_mode = TRUNCATE` and `PERSIST`).
enum JournalFile {
    /// Whether a transaction is written down there. What cannot be read may be one.
    static func isInUse(of store: StoreFile) -> Bool {
        let name = store.name + "-journal"
        guard let facts = store.directory.facts(name) else { return false }
        guard facts.size > 0 else { return false }
        let file = CheckedOpen.open(
            name, in: store.directory.descriptor, O_RDONLY, expecting: facts.identity)
        guard file >= 0 else { return true }
        defer { close(file) }
        var first: UInt8 = 1
        return read(file, &first, 1) != 1 || first != 0
    }
}
