import CSQLite

/// The SQLite library in this process.
package enum SQLiteLibrary {
    /// Has SQLite not count the memory that it takes: nobody asks for it, and it takes a lock for each allocation. A
    /// deletion that cascades takes a tenth less time without.
    ///
    /// To be called before anything uses SQLite; afterwards it has no effect.
    package static func leaveMemoryUncounted() {
        _ = sqlite3_config_int(SQLITE_CONFIG_MEMSTATUS, 0)
    }

    /// Has SQLite open and remove nothing in this process but databases that were looked at, and what belongs to them. To be
    /// called before anything else opens one.
    package static func guardFiles() { FileLayer.install() }
}
