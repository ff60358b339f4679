import Glibc
import Retention

/// A retention policy as a TOML file.
package enum PolicyFile {
    /// `policy` as a commented TOML file, which ``Configuration`` reads as an equal policy.
    ///
    /// If the time zone is the system's, it is only a comment, so that the file fits any system. `reload` is the
    /// command that makes the service read the file again.
    package static func render(
        _ policy: RetentionPolicy, systemTimeZone: Zone, reload: String = "systemctl reload pruned"
    ) -> String {
        let sections =
            [
                introduction(reload), timeZone(policy.timeZone, system: systemTimeZone), metrics, guards,
                batch(policy), archive(policy),
            ]
            + policy.stores.map(store) + [ruleReference] + policy.rules.map { rule($0, on: policy.stores) }
        return sections.map { $0 + "\n" }.joined(separator: "\n")
    }

    private static func introduction(_ reload: String) -> String {
        """
        # What pruned deletes, how often it looks, and where. While no store is configured,
        # here or in conf.d, the built-in policy is in force: the store and the rules that
        # `pruned check --defaults` prints. With one, exactly the configured stores and rules
        # are. After a change:
        #     pruned check && \(reload)
        #
        # Spans are whole numbers with units, such as "30d" or "1d 12h"; the units are
        # ms s min h d w month y. What a rule leaves out has the default given below.
        """
    }

    private static func timeZone(_ timeZone: Zone, system: Zone) -> String {
        let setting = "time_zone = \(timeZone.identifier.quoted)"
        return """
            # Days and longer are counted in this time zone (default: the system's).
            \(timeZone == system ? "# time_zone = \"Europe/Berlin\"" : setting)
            """
    }

    private static let metrics = """
        # Where to write metrics for node_exporter's textfile collector (default: nowhere).
        # metrics_file = "/var/lib/prometheus/node-exporter/pruned.prom"
        """

    /// Has the standard limits: a rule with different limits states its own.
    private static var guards: String {
        section(
            "[guard]", HoldLimits.standard.lines,
            about: """
                # Hold a rule that would delete more than this share of a table of at least so many
                # rows, until a person confirms it; or all rows of a table of any size, or some of its
                # newest tenth. A rule with expires_column, whose rows can be fetched again, is held
                # only if its own guard has a max_share.
                """)
    }

    private static func batch(_ policy: RetentionPolicy) -> String {
        section(
            "[batch]", policy.batchLines,
            about: """
                # The longest that a batch should keep the write lock, and how many stores a run works
                # on at once.
                """)
    }

    private static func archive(_ policy: RetentionPolicy) -> String {
        section(
            "[archive]", policy.archiveLines,
            about: """
                # The size that a store's archive of deleted rows may have: B, kB, MB or GB. Once it is
                # full, rules with archive = true are held; nothing leaves it before its time.
                # max_total, which is not set, is the same for all archives together.
                """)
    }

    private static func store(_ store: StoreDefinition) -> String {
        section(
            "[store.\(store.name.description.key)]",
            store.allLines,
            about: """
                # A database. Relative paths start at the state directory. reclaim: after a run, give
                # free pages back to the file system (only of a file with auto_vacuum=INCREMENTAL).
                # quiet: for an app that does not wait for a lock (default false); see below.
                # paths instead of path, such as "/home/*/app.db": a store for each file that matches.
                # url instead of path, such as "postgresql:///news" or "mariadb:///news": a database
                # of a server; see pruned-postgresql(7) and pruned-mariadb(7).
                """)
    }

    private static let ruleReference = """
        # Rules. A row goes when its time has passed, and only if that is certain.
        #
        #   store           may be left out when there is one store
        #   table           the table whose rows expire
        #   age_column      a row expires when the time in this column is older than keep; or
        #   expires_column  when the time in this column has passed, and grace (if any) with it
        #   unit            what the column has: integers, "s" (the default), "ms", "us", "ns",
        #                   "min", "h", "d", "ticks", "filetime", "snowflake"; "s-real": seconds
        #                   with a fraction; "d-real": julian days; texts, "iso8601":
        #                   2026-11-23 09:30, "yyyymmdd", "rfc2822", "go", "s-text"; in an id,
        #                   "uuid7", "ulid"
        #   epoch           where it counts from: "unix" (the default), "core-data" (2001),
        #                   "chromium" (1601), "dotnet" (1); of ids "discord", "twitter"
        #   column_zone     the time zone of texts without an offset (default UTC), and of the
        #                   types timestamp, DATETIME and date of a server
        #   every           how long after a run the next one is due (default "\(RetentionRule.defaultEvery)")
        #   between         the hours in which the service runs it: "02:00-05:00", "22:00-04:00"
        #   max_run         the longest that one run may take: "20min"; the next one goes on
        #   where           SQL; only rows of which it is true expire
        #   protect         SQL, or a list; a row stays if one is true, or NULL, of it
        #   dependents      tables whose rows go with a row, because they belong to it: by a
        #                   foreign key, or { table = "status", column = "entry_id" }
        #   detach          "table.column", or a list: set to NULL where it refers to such a row
        #   kept_by         "table.column", or a list: a row stays while its key stands there;
        #                   without a time column: what no keeper refers to goes
        #   orphans_of      rows that refer to a row that is not there:
        #                   { column = "feed_id", key = "feed.id" }
        #   keep_last       so many of the newest rows never expire, however old they are
        #   keep_last_per   so many in each group: a column, or a list of columns
        #   action          "delete" (the default), or { set = { deleted = 1 } } to mark rows
        #   tombstone       what the app must remember of a deleted row:
        #                   { table = "gone", columns = { hash = "guid_hash" } }
        #   identity        with archive: by which columns a row that comes back is known again
        #   source_window   with age_column: how far back the source delivers rows again; keep
        #                   must be longer, or deleted records would come back as unread
        #   archive         whether `pruned restore` can put deleted rows back (default false)
        #   archive_keep    for how long (default "\(RetentionRule.defaultArchiveKeep)")
        #   quiet           short locks and long pauses (default: as its store)
        #   guard           this rule's own limits: { max_share = 0.9, min_rows = 100 }
        """

    private static func rule(_ rule: RetentionRule, on stores: [StoreDefinition]) -> String {
        section("[rule.\(rule.name.description.key)]", rule.lines(on: stores))
    }

    /// A table: its comment, its header, and its keys with aligned equals signs.
    private static func section(
        _ header: String, _ lines: [PolicyLine], about: String? = nil
    ) -> String {
        let width = lines.map(\.key.count).max() ?? 0
        let settings = lines.map { key, value in
            key + String(repeating: " ", count: width - key.count) + " = " + value.writtenInFull
        }
        return ([about, header].compactMap(\.self) + settings).joined(separator: "\n")
    }
}
