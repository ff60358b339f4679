import Foundation
import Testing

/// What the reading app does to its store.
@Suite struct ReaderChangingTests {
    @Test("a timeline is imported from a file and from standard input")
    func importing() throws {
        let state = try StateDirectory()
        let file = try state.sandbox.write("timeline.json", "[\(Tweets.ada)]")
        #expect(try state.reader("timeline", "import", file).run().checked().output == "imported 1 tweet\n")
        let ended = try state.importing("[\(Tweets.grace)]", "--json")
        #expect(try ended.object() == ["imported": 1])
        #expect(try state.importing("[]").checked().output == "imported 0 tweets\n")
        #expect(try state.store.query("SELECT id FROM tweet ORDER BY id") == "7\n11")
    }

    @Test("with --update an import takes in what is there already, and a user's new name shows everywhere")
    func updating() throws {
        let state = try StateDirectory.withTimeline()
        let renamed = Tweets.ada.replacing("\"Ada\"", with: "\"Countess\"").replacing(
            "Engines", with: "Looms")
        #expect(try state.importing("[\(renamed)]", "--update").checked().output == "imported 1 tweet\n")
        #expect(try state.store.query("SELECT text FROM tweet WHERE id = 7") == "Looms")
        #expect(try state.store.query("SELECT name FROM user ORDER BY name") == "Countess\nGrace")
    }

    @Test("without --update an import of which one tweet is there takes in none, and names it")
    func importingTwice() throws {
        let state = try StateDirectory.withTimeline()
        let ended = try state.importing(
            "[\(Tweets.tweet(12, "New", "2026-10-12T00:00:00Z", by: "new")), \(Tweets.ada)]")
        #expect(ended.status == 1 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("tweet 7") && ended.errors.contains("--update"), "\(ended)")
        #expect(try state.store.query("SELECT id FROM tweet ORDER BY id") == "7\n11")
    }

    @Test("reading says how many are left, and once read is read")
    func reading() throws {
        let state = try StateDirectory()
        try state.importing(Tweets.two).checked()
        #expect(try state.reader("read", "7").run().checked().output == "1 unread\n")
        #expect(try state.reader("read", "7", "--json").run().object() == ["unread": 1])
        #expect(try state.reader("read", "11", "--json").run().object() == ["unread": 0])
        let records = try state.store.query("SELECT * FROM read_record ORDER BY id")
        #expect(records == "11|1791705600\n7|1791663564")
    }

    @Test("a star is shown, and is no star after unstar; an id that is not there is an error")
    func starring() throws {
        let state = try StateDirectory.withTimeline()
        #expect(
            try state.reader("star", "7").run().checked().output
                == "starred: it stays until it is unstarred\n")
        #expect(
            try state.reader("timeline").run().checked().output == """
                timeline: 2
                id  written              by      star  text
                11  2026-10-11 08:00:00  @grace        Compilers
                 7  2026-10-10 20:19:24  @ada    *     Engines

                """)
        for command in [["timeline", "--json"], ["unread", "--json"]] {
            let tweets = try state.reader(command).run().objects()
            #expect(tweets.first { $0["id"] as? Int == 7 }?["starred"] as? Bool == true, "\(tweets)")
        }
        // What it prints can be imported again, and the star stays.
        let printed = try state.reader("timeline", "--json").run().checked().output
        try state.importing(printed, "--update").checked()
        #expect(try state.store.query("SELECT id FROM tweet WHERE starred") == "7")
        #expect(try state.reader("unstar", "7", "--json").run().object() == ["starred": false])
        #expect(try state.store.query("SELECT id FROM tweet WHERE starred") == "")
        let missing = try state.reader("star", "8").run()
        #expect(missing.status == 1 && missing.saysOneLine, "\(missing)")
    }

    @Test("items are added with the time of now, one if nothing else is said")
    func addingItems() throws {
        let state = try StateDirectory()
        #expect(try state.reader("items", "add").run().checked().output == "added 1 item\n")
        let added = try state.reader("items", "add", "3", "--json").run().objects()
        #expect(added.map { $0["id"] as? Int } == [2, 3, 4])
        #expect(added.allSatisfy { Set($0.allKeys as? [String] ?? []) == ["id", "timestamp"] })
        let age = "unixepoch() - timestamp BETWEEN 0 AND 60"
        #expect(try state.store.count("SELECT count(*) FROM item WHERE \(age)") == 4)
    }

    @Test("items older than so many days are deleted, and no others")
    func deletingItems() throws {
        let state = try StateDirectory()
        try state.reader("items", "add").run().checked()
        try state.store.query(
            """
            INSERT INTO item SELECT value, unixepoch('now', '-' || value || ' days')
            FROM json_each('[10, 182, 184, 185, 1000]')
            """)
        let delete = ["items", "delete", "--older-than"]
        #expect(try state.reader(delete + ["183d"]).run().checked().output == "deleted 3 items\n")
        #expect(try state.store.query("SELECT id FROM item ORDER BY id") == "1\n10\n182")
        #expect(try state.reader(delete + ["1w", "--json"]).run().object() == ["deleted": 2])
        #expect(try state.reader(delete + ["12h"]).run().checked().output == "deleted 0 items\n")
        #expect(try state.store.query("SELECT id FROM item") == "1")
    }

    @Test("sample prints what it made, as JSON too")
    func sample() throws {
        let state = try StateDirectory()
        let made = try state.reader("sample", "--records", "100", "--json").run().object()
        #expect(made["read_record"] as? Int == 100)
        #expect(try state.store.count("SELECT count(*) FROM tweet") == made["tweet"] as? Int)
    }

    @Test(
        "where the service or the app comes first, the other goes on with its store",
        arguments: [true, false])
    func eitherOrder(serviceFirst: Bool) throws {
        let state = try StateDirectory()
        if serviceFirst { try state.runNow.run().checked() }
        func tweet(_ id: Int, daysAgo days: Double) -> String {
            let date = Date(timeIntervalSinceNow: -days * 86_400).formatted(.iso8601)
            return Tweets.tweet(id, "Text", date, by: "ada")
        }
        try state.importing("[\(tweet(1, daysAgo: 40)), \(tweet(2, daysAgo: 1))]").checked()
        for id in ["1", "2"] { try state.reader("read", id).run().checked() }
        #expect(try state.runNow.run().checked().report().deleted["timeline"] == 1)
        #expect(try state.store.query("SELECT id FROM tweet") == "2")
    }
}
