import Foundation
import PolicyFile
import Retention
import Testing

/// Each file that cannot be meant is refused with the key, the value, the reason, and what to write instead.
struct ErrorTests {
    @Test(
        "a rule's bad value names the key, the value, the reason and the remedy",
        arguments: [
            ("keep = 30", "rule.r.keep = 30: a number needs a unit", "write \"30d\""),
            ("keep = -30", "rule.r.keep = -30: a number needs a unit", "write \"30d\""),
            ("keep = \"30\"", "rule.r.keep = \"30\": a number needs a unit", "write \"30d\""),
            (
                "keep = 30.5", "rule.r.keep = 30.5: must be a string, not a floating-point number",
                "double quotes"
            ),
            ("keep = true", "rule.r.keep = true: must be a string, not a bool", "double quotes"),
            ("keep = 2026-11-20", "rule.r.keep = 2026-11-20: must be a string, not a date", "double quotes"),
            ("keep = \"0d\"", "rule.r.keep = \"0d\": a span must be longer than zero", "\"30d\""),
            ("keep = \"-1d\"", "rule.r.keep = \"-1d\": a span cannot be negative", "\"30d\""),
            (
                "keep = \"1001y\"", "rule.r.keep = \"1001y\": the span is longer than 1000 years",
                "leave the rule out"
            ),
            (
                "keep = \"99999999999999999999d\"",
                "rule.r.keep = \"99999999999999999999d\": the span is longer than 1000 years",
                "leave the rule out"
            ),
            ("keep = \"30m\"", "rule.r.keep = \"30m\": \"m\" is not a unit of time", "\"min\" for minutes"),
            ("keep = \"\"", "rule.r.keep = \"\": is empty", "give it a value"),
            ("every = 60", "rule.r.every = 60: a number needs a unit", "\"60d\""),
            (
                "between = \"2-5\"", "rule.r.between = \"2-5\": is not two times of day", "\"02:00-05:00\""
            ),
            (
                "between = \"02:00-25:00\"", "rule.r.between = \"02:00-25:00\": is not two times of day",
                "\"22:00"
            ),
            (
                "between = \"24:00-02:00\"", "rule.r.between = \"24:00-02:00\": is not two times of day",
                "\"22:00"
            ),
            (
                "between = \"02:00-02:00\"",
                "rule.r.between = \"02:00-02:00\": begins and ends at the same time, so it never comes",
                "remove between"
            ),
            ("max_run = 20", "rule.r.max_run = 20: a number needs a unit", "\"20min\""),
            ("max_run = \"999ms\"", "rule.r.max_run = \"999ms\": is shorter than a second", "\"1s\""),
            ("every = \"999ms\"", "rule.r.every = \"999ms\": is shorter than a second", "\"1s\""),
            (
                "unit = \"sec\"", "rule.r.unit = \"sec\": is not a unit of a time column",
                "\"s\", \"ms\""
            ),
            ("kept_by = \"tweet\"", "rule.r.kept_by = \"tweet\": is not a column of a table", "table.column"),
            (
                "dependents = \"a\"", "rule.r.dependents = \"a\": must be an array of strings, not a string",
                "[\"a\""
            ),
            (
                "dependents = [\"a\", 1]",
                "rule.r.dependents = […]: contains something that is not a string with text: 1", "[\"a\""
            ),
            (
                "dependents = [\"\"]",
                "rule.r.dependents = […]: contains something that is not a string with text: \"\"",
                "[\"a\""
            ),
            ("dependents = [\"a\", \"a\"]", "rule.r.dependents = […]: holds \"a\" twice", "each once"),
            ("grace = \"1d\"", "rule.r.grace = \"1d\": belongs to expires_column", "lengthen keep"),
            (
                "expires_column = \"e\"", "rule.r.expires_column = \"e\": cannot be combined with age_column",
                "one of the two"
            ),
            ("keep_last = 0", "rule.r.keep_last = 0: must be at least 1", "leave it out"),
            ("keep_last = -5", "rule.r.keep_last = -5: must be at least 1", "leave it out"),
            (
                "keep_last = \"5\"", "rule.r.keep_last = \"5\": must be a whole number, not a string",
                "without quotes"
            ),
            ("source_window = 14", "rule.r.source_window = 14: a number needs a unit", "\"14d\""),
            (
                "source_window = \"0d\"", "rule.r.source_window = \"0d\": a span must be longer than zero",
                "\"30d\""
            ),
            ("store = \"z\"", "rule.r.store = \"z\": unknown store", "did you mean \"s\"?"),
            ("store = \"reader\"", "rule.r.store = \"reader\": unknown store", "add [store.reader]"),
            ("guard = 1", "rule.r.guard = 1: must be a table, not an integer", "[rule.r.guard]"),
            ("guard.max_share = 0", "rule.r.guard.max_share = 0: must be above 0 and at most 1", "half"),
            (
                "guard.max_share = 1.01", "rule.r.guard.max_share = 1.01: must be above 0 and at most 1",
                "half"
            ),
            ("guard.max_share = nan", "rule.r.guard.max_share = nan: must be above 0 and at most 1", "half"),
            ("guard.max_share = inf", "rule.r.guard.max_share = inf: must be above 0 and at most 1", "half"),
            (
                "guard.max_share = \"1\"", "rule.r.guard.max_share = \"1\": must be a number, not a string",
                "0.5"
            ),
            ("guard.min_rows = -1", "rule.r.guard.min_rows = -1: cannot be negative", "0 guards"),
            (
                "guard.min_rows = 10.0",
                "rule.r.guard.min_rows = 10.0: must be a whole number, not a floating-point number",
                "decimal point"
            ),
        ])
    func badRuleValues(key: String, message: String, hint: String) throws {
        let isKeep = key.hasPrefix("keep =")
        let error = try error(
            in: file(rule: "age_column = \"at\"\n" + (isKeep ? "" : "keep = \"30d\"\n") + key))
        #expect(error.description == "pruned.toml: " + message)
        #expect(error.hint.contains(hint))
    }

    @Test(
        "a rule that lacks what it needs says so",
        arguments: [
            ("", "rule.r: says no time column", "age_column (with keep) or expires_column"),
            ("age_column = \"at\"", "rule.r: has no keep", "keep = \"30d\""),
            ("expires_column = \"e\"\nkeep = \"1d\"", "rule.r.keep = \"1d\": belongs to age_column", "grace"),
            ("age_column = \"\"\nkeep = \"1d\"", "rule.r.age_column = \"\": is empty", "give it a value"),
        ])
    func incompleteRules(keys: String, message: String, hint: String) throws {
        let error = try error(in: file(rule: keys))
        #expect(error.description == "pruned.toml: " + message)
        #expect(error.hint.contains(hint))
    }

    @Test(
        "a keep that is not always longer than the source's window explains itself",
        arguments: [("30d", "30d"), ("30d", "1month"), ("1month", "30d"), ("12month", "1y"), ("1d", "24h")])
    func sourceWindow(keep: String, window: String) throws {
        let error = try error(
            in: file(rule: "age_column = \"at\"\nkeep = \"\(keep)\"\nsource_window = \"\(window)\""))
        #expect(
            error.description == """
                pruned.toml: rule.r.source_window = "\(window)": keep = "\(keep)" is not always longer: the source would \
                deliver deleted records again, and they would come back as unread
                """)
        #expect(error.hint.contains("lengthen keep"))
    }

    @Test("the source's window belongs to rules by age")
    func sourceWindowOfDeadlines() throws {
        let error = try error(in: file(rule: "expires_column = \"e\"\nsource_window = \"14d\""))
        #expect(
            error.description == "pruned.toml: rule.r.source_window = \"14d\": belongs to age_column")
        #expect(error.hint.contains("remove it"))
    }

    @Test(
        "an unknown key names the nearest known one, or all of them",
        arguments: [
            ("[rule.r]\nkep = \"30d\"", "rule.r.kep: unknown key", "did you mean \"keep\"?"),
            (
                "[rule.r]\nAge-Column = \"at\"", "rule.r.Age-Column: unknown key",
                "did you mean \"age_column\"?"
            ),
            (
                "[rule.r]\ninterval = 3", "rule.r.interval: unknown key",
                "known here: store, table, age_column"
            ),
            (
                "[guard]\nmaxshare = 1", "guard.maxshare: unknown key",
                "did you mean \"max_share\"?"
            ),
            ("[rules.r]", "rules: unknown key", "did you mean \"rule\"?"),
            ("[batch]\nlock_times = \"1ms\"", "batch.lock_times: unknown key", "did you mean \"lock_time\"?"),
            ("[batch]\nhold = \"1ms\"", "batch.hold: unknown key", "known here: lock_time, workers"),
            ("[store.s]\npaht = \"x\"", "store.s.paht: unknown key", "did you mean \"path\"?"),
            ("[store.s]\nfile = \"x\"", "store.s.file: unknown key", "known here: path, paths, url, max_lag"),
            ("\"\" = 1", "\"\": unknown key", "known here: time_zone, metrics_file, guard"),
            ("timezone = \"UTC\"", "timezone: unknown key", "did you mean \"time_zone\"?"),
        ])
    func unknownKeys(text: String, message: String, hint: String) throws {
        let error = try error(in: text)
        #expect(error.description == "pruned.toml: " + message)
        #expect(error.hint.contains(hint))
    }

    @Test(
        "tables, stores and the file as a whole are checked too",
        arguments: [
            ("", "has no rules", "add a [rule.NAME]"),
            ("# nothing\n[store.s]\npath = \"s\"", "has no rules", "add a [rule.NAME]"),
            ("[rule.r]\ntable = \"t\"\n\(enough)", "rule.r: has no store", "add a [store.NAME]"),
            ("[rule.r]\n\(enough)", "rule.r: has no table", "table = "),
            ("[store.s]", "store.s: has no path and no url", "path = \"reader.sqlite\""),
            ("[store.s]\npath = \"\"", "store.s.path = \"\": is empty", "give it a value"),
            (
                "[store.s]\npath = \"file:x?nolock=1\"", "store.s.path = \"file:x?nolock=1\": is a URI",
                "plain path"
            ),
            (
                "[store.s]\npath = \"s\"\nreclaim = \"yes\"",
                "store.s.reclaim = \"yes\": must be true or false, not a string", "without quotes"
            ),
            (
                "[store.s]\npath = \"s\"\nprefixes = \"a_*_\"",
                "store.s.prefixes = \"a_*_\": belongs to a store with url", "write paths"
            ),
            (
                "[store.s]\nurl = \"postgresql:///a\"\nprefixes = \"a_\"",
                "store.s.prefixes = \"a_\": must have one *", "freshrss_*_"
            ),
            (
                "[store.s]\nurl = \"postgresql:///a\"\nschemas = \"a*\"\nprefixes = \"b*\"",
                "store.s.prefixes = \"b*\": cannot be combined with schemas", "remove one"
            ),
            (
                "[store.s]\nurl = \"mariadb:///a\"\nschemas = \"a*\"",
                "store.s.schemas = \"a*\": belongs to a PostgreSQL store", "a url for each"
            ),
            (
                "[store.s]\nurl = \"postgresql:///a\"\nschemas = \"a*\"\n[rule.r]\ntable = \"t\"\n\(enough)",
                "rule.r.table = \"t\": is one table for all stores of s", "table = \"{schema}.t\""
            ),
            (
                "[store.s]\npaths = \"/u/db\"", "store.s.paths = \"/u/db\": must have one *",
                "users/*/db.sqlite"
            ),
            ("[store.s]\npaths = \"/u/*/*\"", "store.s.paths = \"/u/*/*\": must have one *", "in one name"),
            (
                "[store.s]\npaths = \"/u/*/?\"", "store.s.paths = \"/u/*/?\": is no path with a *",
                "only wildcard"
            ),
            ("[store.s]\npath = \"/u/*/db\"", "store.s.path = \"/u/*/db\": has a *", "write paths"),
            (
                "[store.s]\npaths = \"/u/*/db\"\npath = \"s\"",
                "store.s.paths = \"/u/*/db\": cannot be combined with path", "remove one"
            ),
            (
                "[store.s]\npaths = \"/u/*/db\"\n[rule.s-r]\ntable = \"t\"\n\(enough)\n[rule.r]\ntable = \"t\"\n\(enough)",
                "the rules r and s-r would have one name in a store of s", "rename one"
            ),
            (
                "[store.s]\npaths = \"/u/*/db\"\n[rule.\"s/a-r\"]\ntable = \"t\"\n\(enough)",
                "rule.\"s/a-r\": is a name that a store of a family has", "[rule.NAME]"
            ),
            ("[store.\"a b\"]\npath = \"s\"", "store.\"a b\": is not a name", "letters, digits"),
            ("[rule.-r]\n", "rule.-r: is not a name", "start with a letter or digit"),
            ("[rule]\ntable = \"t\"", "rule.table = \"t\": must be a table, not a string", "[rule.NAME]"),
            ("[[rule]]\ntable = \"t\"", "rule = […]: must be a table of tables, not an array", "[rule.NAME]"),
            ("store = \"s\"", "store = \"s\": must be a table of tables, not a string", "[store.NAME]"),
            ("batch = \"10ms\"", "batch = \"10ms\": must be a table, not a string", "[batch]"),
            ("batch.lock_time = 10", "batch.lock_time = 10: a number needs a unit", "write \"10ms\""),
            (
                "batch.lock_time = \"1s 1ms\"", "batch.lock_time = \"1s 1ms\": must be between 1ms and 1s",
                "10ms"
            ),
            ("batch.workers = 0", "batch.workers = 0: must be between 1 and 32", "the default is 8"),
            ("batch.workers = 33", "batch.workers = 33: must be between 1 and 32", "the default is 8"),
            (
                "batch.workers = \"8\"", "batch.workers = \"8\": must be a whole number, not a string",
                "without quotes"
            ),
            ("batch.lock_time = \"1d\"", "batch.lock_time = \"1d\": must be between 1ms and 1s", "10ms"),
            (
                "guard.min_rows = \"1\"", "guard.min_rows = \"1\": must be a whole number, not a string",
                "quotes"
            ),
            (
                "time_zone = \"Europe/berlin\"", "time_zone = \"Europe/berlin\": is not a time zone",
                "\"Europe/Berlin\"?"
            ),
            ("time_zone = \"GMT+2\"", "time_zone = \"GMT+2\": is not a time zone", "UTC"),
            ("time_zone = \"BST\"", "time_zone = \"BST\": is not a time zone", "UTC"),
            ("time_zone = \"/etc/localtime\"", "time_zone = \"/etc/localtime\": is not a time zone", "UTC"),
            ("time_zone = 2", "time_zone = 2: must be a string, not an integer", "double quotes"),
        ])
    func badTables(text: String, message: String, hint: String) throws {
        let error = try error(in: text)
        #expect(error.description == "pruned.toml: " + message)
        #expect(error.hint.contains(hint))
    }

    @Test("with several stores, a rule must say which")
    func severalStores() throws {
        let error = try error(
            in: "store.a.path = \"a\"\nstore.b.path = \"b\"\n[rule.r]\ntable = \"t\"\n\(enough)")
        #expect(error.description == "pruned.toml: rule.r: must name its store, as there are several")
        #expect(error.hint == "store = one of: a, b")
    }

    @Test("rules that keep each other's rows are named")
    func circularKeepers() throws {
        let error = try error(
            in: """
                store.s.path = "s"
                rule.a = { table = "x", expires_column = "e", kept_by = "y.id" }
                rule.b = { table = "y", expires_column = "e", kept_by = "x.id" }
                """)
        #expect(error.description == "pruned.toml: the rules a, b refer to each other by kept_by")
        #expect(error.hint.contains("remove kept_by"))
    }

    @Test("the parts of an error can be read one by one")
    func parts() throws {
        let error = try error(in: file(rule: "age_column = \"at\"\nkeep = 30"))
        #expect(error.file == "pruned.toml")
        #expect(error.place == .key("rule.r.keep", value: "30"))
        #expect(error.reason == "a number needs a unit")
    }

    @Test(
        "a metrics file that cannot be meant is refused",
        arguments: [
            ("\"pruned.prom\"", "metrics_file = \"pruned.prom\": is not an absolute path", "pruned.prom"),
            (
                "\"/x/reader.sqlite\"", "metrics_file = \"/x/reader.sqlite\": does not end in .prom",
                "no others"
            ),
            ("\"\"", "metrics_file = \"\": is empty", "leave the key out"),
            ("true", "metrics_file = true: must be a string, not a bool", "double quotes"),
        ])
    func metricsFile(value: String, message: String, hint: String) throws {
        let error = try error(in: "metrics_file = \(value)\n" + file(rule: enough))
        #expect(error.description == "pruned.toml: " + message)
        #expect(error.hint.contains(hint))
    }
}
