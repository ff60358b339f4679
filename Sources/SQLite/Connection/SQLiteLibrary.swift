import CSQLite

/// The SQLite library in this process.
package enum SQLiteLibrary {
    /// Turns off SQLite's memory statistics. Nothing reads them, and they take a lock for each allocation. A cascading
    /// deletion is a tenth faster without them.
    ///
    /// Call this before anything uses SQLite; afterwards it has no effect.
    package static func leaveMemoryUncounted() {
        _ = sqlite3_config_int(SQLITE_CONFIG_MEMSTATUS, 0)
    }

    /// Lets SQLite open and remove only databases that were checked, and their own files, in this process. Call this
    /// before anything else opens a database.
    package static func guardFiles() { FileLayer.install() }
}
