import Foundation
import Testing

/// What the reading app shows of its store.
@Suite struct ReaderShowingTests {
    @Test("an empty store says so of each of its parts, and the state directory is made on the way")
    func empty() throws {
        let state = try StateDirectory("not/there/yet")
        let ended = try state.reader("show").run()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(ended.output == "timeline: 0\n\nread records: 0\n\nfeeds: 0\n\nitems: 0\n")
        #expect(try state.store.health() == "ok")
        for (command, shown) in [
            ("timeline", "timeline: 0\n"), ("unread", "unread: 0\n"), ("items", "items: 0\n"),
        ] {
            #expect(try state.reader(command).run().checked().output == shown)
            #expect(try state.reader(command, "--json").run().json() as? [NSDictionary] == [])
        }
        let all = try state.reader("show", "--json").run().object()
        #expect(all == ["timeline": [], "read_records": [], "feeds": [], "items": []])
    }

    @Test("show has everything, newest first, in aligned tables")
    func everything() throws {
        let state = try StateDirectory.withTimeline()
        try state.store.query(
            """
            INSERT INTO item VALUES (8, 1791000000), (10, 1791000001);
            INSERT INTO feed VALUES (3, 1791000000, 1791001800), (4, 1791000000, 4102444800);
            INSERT INTO article VALUES (4, 0, 'First', 'https://a.example/1'), (4, 1, 'Second one', 'https://a.example/2')
            """)
        let shown = try state.reader("show").run().checked().output
        #expect(
            shown == """
                timeline: 2
                id  written              by      star  text
                11  2026-10-11 08:00:00  @grace        Compilers
                 7  2026-10-10 20:19:24  @ada          Engines

                read records: 1
                id  made
                11  2026-10-11 08:00:00

                feeds: 2
                tab  articles  loaded               fresh until
                  3         0  2026-10-03 04:00:00  stale
                  4         2  2026-10-03 04:00:00  2100-01-01 00:00:00

                feed of tab 3: 0

                feed of tab 4: 2
                title       url
                First       https://a.example/1
                Second one  https://a.example/2

                items: 2
                id  time
                10  2026-10-03 04:00:01
                 8  2026-10-03 04:00:00

                """)
    }

    @Test("show --json has the same, with the names of the store's columns and the API's keys")
    func everythingAsJSON() throws {
        let state = try StateDirectory.withTimeline()
        try state.store.query(
            """
            INSERT INTO item VALUES (8, 1791000000);
            INSERT INTO feed VALUES (4, 1791000000, 1791001800);
            INSERT INTO article VALUES (4, 0, 'First', 'https://a.example/1')
            """)
        let all = try state.reader("show", "--json").run().object()
        #expect(Set(all.allKeys as? [String] ?? []) == ["timeline", "read_records", "feeds", "items"])
        #expect(all["timeline"] as? [NSDictionary] == [grace, ada])
        #expect(
            all["read_records"] as? [NSDictionary] == [["id": "11", "created_at": "2026-10-11T08:00:00Z"]])
        #expect(all["items"] as? [NSDictionary] == [["id": 8, "timestamp": "2026-10-03T04:00:00Z"]])
        let article = ["title": "First", "url": "https://a.example/1"]
        let feed: NSDictionary = [
            "tab_id": 4, "fetched_at": "2026-10-03T04:00:00Z", "expires_at": "2026-10-03T04:30:00Z",
            "articles": [article],
        ]
        #expect(all["feeds"] as? [NSDictionary] == [feed])
    }

    @Test("the timeline has what was read, unread has not")
    func unread() throws {
        let state = try StateDirectory.withTimeline()
        #expect(try state.reader("timeline", "--json").run().objects() == [grace, ada])
        #expect(try state.reader("unread", "--json").run().objects() == [ada])
        #expect(
            try state.reader("unread").run().checked().output == """
                unread: 1
                id  written              by    star  text
                 7  2026-10-10 20:19:24  @ada        Engines

                """)
    }

    @Test("times are shown by the clock of the system's time zone, and as UTC in JSON")
    func timeZone() throws {
        let state = try StateDirectory.withTimeline()
        var reader = state.reader("unread")
        reader.environment["TZ"] = "Asia/Tokyo"
        #expect(try reader.run().checked().output.contains("2026-10-11 05:19:24"))
        reader.arguments.append("--json")
        #expect(try reader.run().objects() == [ada])
    }

    private let ada = tweet(7, "Engines", "2026-10-10T20:19:24Z", by: "ada")
    private let grace = tweet(11, "Compilers", "2026-10-11T08:00:00Z", by: "grace")

    private static func tweet(_ id: Int, _ text: String, _ createdAt: String, by name: String) -> NSDictionary
    {
        let user: NSDictionary = [
            "id": name.utf8.count, "name": name.capitalized, "screen_name": name,
            "profile_image_url_https": "https://images.example/\(name).png",
        ]
        return ["id": id, "text": text, "created_at": createdAt, "user": user, "starred": false]
    }
}
