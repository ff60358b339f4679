import Foundation
import PolicyFile
import Retention
import TestSupport
import Testing

/// Stores that are PostgreSQL databases.
struct PostgreSQLStoreTests {
    private static let store = "[store.s]\nurl = \"postgresql:///miniflux\"\n"
    private static let rule = "[rule.r]\ntable = \"entries\"\n" + enough + "\n"

    @Test("a store has a url instead of a path, and waits for replicas")
    func url() throws {
        let read = try #require(try parse(Self.store + Self.rule).stores.first)
        #expect(read.kind == .postgresql(try ConnectionString("postgresql:///miniflux")))
        #expect(read.maxLag == Span(10, .second))
        #expect(!read.reclaim)
        #expect(read.file == nil && read.place == "postgresql:///miniflux")
        let other = try parse(Self.store + "max_lag = \"1min\"\nreclaim = true\nquiet = true\n" + Self.rule)
        #expect(other.stores[0].maxLag == Span(1, .minute))
        let braked = try parse(
            Self.store + "max_slot_wal = \"5GB\"\nmax_rows_per_s = 2000\n" + Self.rule
        ).stores[0]
        #expect(braked.maxSlotLog == ByteCount(5_000_000_000) && braked.maxRowsPerSecond == 2_000)
        #expect(read.maxSlotLog == nil && read.maxRowsPerSecond == nil)
        #expect(other.stores[0].reclaim && other.stores[0].isQuiet && other.rules[0].isQuiet)
        let file = try #require(try parse(file(rule: enough)).stores.first)
        #expect(file.maxLag == nil && file.reclaim)
    }

    @Test("tables and keepers may have a schema, and a local time any unit")
    func names() throws {
        let keys =
            "kept_by = [\"public.labels.entry\", \"stars.entry\", \"public.bob.smith_tag.entry\"]\ncolumn_zone = \"Europe/Berlin\"\n"
        let rule = try #require(
            try parse(
                Self.store + Self.rule.replacing("entries", with: "public.entries") + keys
            ).rules.first)
        #expect(rule.table == "public.entries")
        #expect(rule.keptBy.map(\.table) == ["public.labels", "stars", "public.bob.smith_tag"])
        #expect(rule.time.zone?.identifier == "Europe/Berlin")
        #expect(throws: PolicyFileError.self) {
            try parse(file(rule: enough + "\ncolumn_zone = \"Europe/Berlin\""))
        }
    }

    @Test("partitions may be dropped by a rule that is age alone")
    func partitions() throws {
        let idle =
            "protect = []\narchive = false\naction = \"delete\"\ndependents = []\nsource_window = \"7d\"\n"
        for more in ["", idle] {
            let rule = try parse(Self.store + Self.rule + "partitions = \"drop\"\n" + more).rules.first
            #expect(rule?.partitions == .drop)
        }
        #expect(try parse(Self.store + Self.rule).rules.first?.partitions == nil)
    }

    @Test(
        "what does not go with a PostgreSQL store, or only with one, is refused with the remedy",
        arguments: [
            (
                "[store.s]\nurl = \"host=h\"\npath = \"s\"", "",
                "store.s.url = \"host=h\": cannot be combined with path",
                "remove one"
            ),
            ("[store.s]\n", "", "store.s: has no path and no url", "url = \"postgresql:///miniflux\""),
            ("[store.s]\nurl = \"\"", "", "store.s.url = \"***\": is empty", "give it a value"),
            ("[store.s]\nurl = 5432", "", "store.s.url = 5432: must be a string, not an integer", "quotes"),
            (
                "[store.s]\nurl = \"reader.sqlite\"", "", "store.s.url = \"***\": is not a connection string",
                "postgresql://HOST/DATABASE"
            ),
            (
                "[store.s]\npath = \"postgresql:///db\"", "",
                "store.s.path = \"postgresql:///db\": is a connection string", "write url instead of path"
            ),
            (
                store + "skip_while_locked = \"lock\"", "",
                "store.s.skip_while_locked = \"lock\": belongs to a store with path", "remove it"
            ),
            (
                "[store.s]\npath = \"s\"\nmax_lag = \"1s\"", "",
                "store.s.max_lag = \"1s\": belongs to a PostgreSQL store", "nothing is known of the replicas"
            ),
            (
                "[store.s]\npath = \"s\"\nmax_slot_wal = \"1GB\"", "",
                "store.s.max_slot_wal = \"1GB\": belongs to a PostgreSQL store",
                "nothing is known of the replicas"
            ),
            (store + "max_slot_wal = \"5\"", "", "store.s.max_slot_wal = \"5\": is not a size", "GB"),
            (store + "max_rows_per_s = 0", "", "store.s.max_rows_per_s = 0: must be between 1 and", "second"),
            (store + "max_lag = 10", "", "store.s.max_lag = 10: a number needs a unit", "\"10s\""),
            (
                store + "schema = [{ versions = \"1\", catalog = \"table t\" }]", "",
                "store.s.schema.1.catalog: is no key any more", "`pruned check --schema s`"
            ),
            (
                store + "schema = [{ versions = \"1\" }]", "", "store.s.schema.1: has no tables",
                "`pruned check --schema STORE`"
            ),
            (
                "[store.s]\npath = \"s\"\nschema = [{ versions = \"1\", sql = \"c\" }]", "",
                "store.s.schema.1.sql: is no key any more", "write tables = \"table NAME\" in its place"
            ),
            (
                store
                    + "schema = [{ versions = \"1\", tables = \"\"\"\ntable t\n column at bigint\n\"\"\" }]",
                "",
                "store.s.schema.1: tables, line 2: it is no fact of a table: column at bigint",
                "`pruned check --schema STORE`"
            ),
            (
                "[store.s]\npath = \"s\"", "partitions = \"drop\"",
                "rule.r.partitions = \"drop\": belongs to a PostgreSQL store",
                "partitions are dropped there alone"
            ),
            (
                store, "partitions = \"truncate\"",
                "rule.r.partitions = \"truncate\": is nothing that can be done with partitions",
                "write \"drop\""
            ),
            (
                store, "partitions = true", "rule.r.partitions = true: must be a string, not a bool",
                "double quotes"
            ),
            (store, "kept_by = \"a..c\"", "rule.r.kept_by = \"a..c\": is not a column", "table.column"),
        ])
    func refused(store: String, rule: String, message: String, hint: String) throws {
        let error = try error(in: store + "\n" + Self.rule + rule + "\n")
        #expect(error.description.contains(message))
        #expect(error.hint.contains(hint))
    }

    @Test(
        "a partition goes as a whole: no key that is about single rows goes with it",
        arguments: [
            ("where", "\"read\""), ("protect", "\"starred\""), ("kept_by", "\"labels.entry\""),
            ("keep_last", "5"),
            ("archive", "true"), ("dependents", "[\"words\"]"), ("action", "{ set = { gone = 1 } }"),
            ("tombstone", "{ table = \"gone\", columns = { hash = \"hash\" } }"),
        ])
    func wholePartitions(key: String, value: String) throws {
        let error = try error(
            in: Self.store + Self.rule + "partitions = \"drop\"\n" + key + " = " + value + "\n")
        #expect(
            error.description.contains(
                "rule.r.partitions = \"drop\": cannot be combined with \(key): a partition goes as a whole"))
        #expect(error.hint.contains("remove \(key)"))
    }

    @Test("partitions go by age, and not by a deadline or the lack of a keeper")
    func otherExpiry() throws {
        for expiry in ["expires_column = \"until\"", "kept_by = \"labels.entry\""] {
            let error = try error(
                in: Self.store + "[rule.r]\ntable = \"entries\"\npartitions = \"drop\"\n" + expiry)
            #expect(error.description.contains("rule.r.partitions = \"drop\": belongs to age_column"))
        }
    }

    @Test("a drop-in file overrides each of the keys, and the listing names it")
    func dropIn() throws {
        let directory = try ConfigurationDirectory(main: Self.store + Self.rule)
        try directory.dropIn(
            "10.toml",
            "[store.s]\nurl = \"host=db\"\nmax_lag = \"2s\"\n[rule.r]\npartitions = \"drop\"\n")
        let read = try directory.read()
        #expect(read.policy.stores[0].place == "host=db")
        #expect(read.policy.stores[0].maxLag == Span(2, .second))
        let listed = read.settings.filter { ["url", "max_lag", "partitions"].contains($0.key) }
        #expect(listed.map(\.value) == ["\"host=db\"", "\"2s\"", "\"drop\""])
        #expect(listed.allSatisfy { $0.origin == "conf.d/10.toml" })
        let plain = try parse(Self.store + Self.rule)
        #expect(plain.stores[0].maxLag == StoreDefinition.defaultMaxLag)
    }

    @Test("a policy with such a store is rendered as a file that reads back as it")
    func rendering() throws {
        var store = StoreDefinition(
            name: "pg", kind: .postgresql(try ConnectionString("host='a b' dbname=\"x\" user=\\\\ä")),
            reclaim: true)
        store.maxLag = Span(3, .minute)
        let schema = try StoreSchema("table a\n  column \"b\\\"\"c\" other")
        store.gate = StoreGate([.init(versions: "1", schema)], acceptedColumns: ["x.y"])
        let berlin = try #require(Zone(identifier: "Europe/Berlin"))
        let policy = try RetentionPolicy(
            timeZone: .gmt, stores: [store],
            rules: [
                RetentionRule(
                    name: "r", store: "pg", table: "public.\"Entry\"",
                    expiry: .age(column: "at", keep: Span(1, .day)),
                    time: TimeFormat(zone: berlin),
                    partitions: .drop)
            ])
        #expect(try parse(PolicyFile.render(policy, systemTimeZone: .gmt)) == policy)
    }
}
