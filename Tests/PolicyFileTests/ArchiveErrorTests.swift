import Retention
import Testing

/// What a file may not say of the archive.
struct ArchiveErrorTests {
    @Test(
        "a rule's bad word on the archive names the key, the value, the reason and the remedy",
        arguments: [
            (
                "archive_keep = \"30d\"", "archive_keep = \"30d\": belongs to archive = true",
                "add archive = true"
            ),
            (
                "archive = false\narchive_keep = \"30d\"",
                "archive_keep = \"30d\": belongs to archive = true",
                "remove archive_keep"
            ),
            (
                "archive = true\narchive_keep = \"0d\"",
                "archive_keep = \"0d\": a span must be longer than zero", "\"30d\""
            ),
            (
                "archive = true\narchive_keep = \"-1d\"", "archive_keep = \"-1d\": a span cannot be negative",
                "\"30d\""
            ),
            ("archive = true\narchive_keep = 30", "archive_keep = 30: a number needs a unit", "\"30d\""),
            (
                "archive = true\narchive_keep = \"30\"", "archive_keep = \"30\": a number needs a unit",
                "\"30d\""
            ),
            (
                "archive = true\narchive_keep = \"1001y\"",
                "archive_keep = \"1001y\": the span is longer than 1000 years", "leave the rule out"
            ),
            (
                "archive = true\narchive_keep = true", "archive_keep = true: must be a string, not a bool",
                "quotes"
            ),
            ("archive = \"yes\"", "archive = \"yes\": must be true or false, not a string", "without quotes"),
            ("archive = 1", "archive = 1: must be true or false, not an integer", "write it"),
            ("archive_kep = \"30d\"", "archive_kep: unknown key", "did you mean \"archive_keep\"?"),
            (
                "archive = true\ndependents = [\"a\"]",
                "archive = true: the archive takes no dependents, so the rows would come back incomplete",
                "remove archive"
            ),
        ])
    func badRules(keys: String, message: String, hint: String) throws {
        let error = try error(in: file(rule: enough + "\n" + keys))
        #expect(error.description == "pruned.toml: rule.r." + message)
        #expect(error.hint.contains(hint), "\(error.hint)")
    }

    @Test(
        "the archive's size is a whole number of bytes with a unit, and more than none",
        arguments: ["0B", "0GB", "-1MB", "1.5GB", "1", "MB", "", "1 TB", "1gb", "9999999999GB"])
    func badSizes(size: String) throws {
        for key in ["max_size", "max_total"] {
            let error = try error(in: "[archive]\n\(key) = \"\(size)\"\n" + file(rule: enough))
            #expect(error.description.hasPrefix("pruned.toml: archive.\(key) = \"\(size)\": is"))
            #expect(size.isEmpty || error.hint.contains("\"500MB\""))
        }
    }

    @Test("the archive's names are its own", arguments: ["archive", "archive-leases"])
    func reservedNames(name: String) throws {
        for text in [
            file(rule: enough).replacing("rule.r", with: "rule.\(name)"),
            file(rule: enough).replacing("store.s", with: "store.\(name)"),
        ] {
            let error = try error(in: text)
            #expect(error.description == "pruned.toml: the name \(name) is taken by the archive")
        }
    }

    @Test("a rule that archives keeps what it deleted for 30 days, or as long as it says")
    func defaults() throws {
        let rules = [("", nil), ("archive = false", nil), ("archive = true", "30d")] as [(String, String?)]
        for (keys, keep) in rules + [("archive = true\narchive_keep = \"1d 12h\"", "1d 12h")] {
            let rule = try #require(parse(file(rule: enough + "\n" + keys)).rules.first)
            #expect(rule.archiveKeep?.description == keep)
        }
        #expect(
            try parse(file(rule: enough + "\narchive = true\ndependents = []")).rules[0].archiveKeep != nil)
    }
}
