import TestSupport
import Foundation
import Testing

/// A reading app of Debian's with windows, in a home directory of the test's.
struct DesktopReader {
    /// What the apps are, and how each is driven.
    enum App: String, CaseIterable, CustomTestStringConvertible {
        case liferea, rssGuard, quiteRSS
        var testDescription: String { rawValue }
    }

    let app: App
    let home: Sandbox
    let display: VirtualDisplay
    /// Whether QuiteRSS reads its database into memory and writes it back when it ends, as it does if nobody says otherwise.
    var isInMemory = false

    init(_ app: App, on display: VirtualDisplay) throws {
        self.app = app
        self.display = display
        home = try Sandbox()
    }

    var preset: String { kind.preset }

    var store: Database {
        switch app {
        case .liferea: Database(path: home.path + "/.local/share/liferea/liferea.db")
        case .rssGuard: Database(path: home.path + "/data/database/database.db")
        case .quiteRSS: Database(path: home.path + "/.local/share/QuiteRss/QuiteRss/feeds.db")
        }
    }

    /// Has it make its own database, with these feeds in it.
    func subscribe(to server: FeedServer, _ feeds: [String]) throws {
        switch app {
        case .liferea:
            _ = try home.makeDirectory(".config/liferea")
            let outlines = feeds.map {
                """
                <outline title="\($0)" text="\($0)" type="rss" id="\($0)id" xmlUrl="\(server.url($0))" updateInterval="60"/>
                """
            }
            try home.write(
                ".config/liferea/feedlist.opml",
                "<?xml version=\"1.0\"?><opml version=\"1.0\"><head/><body>\(outlines.joined())</body></opml>"
            )
        case .rssGuard:
            _ = try home.makeDirectory("data/config")
            try home.write(
                "data/config/config.ini",
                """
                [feeds]
                feeds_update_on_startup=true
                feeds_update_on_startup_delay=0.1

                """)
            let running = try start()
            try eventually("a database of RSS Guard's: \(running.output.suffix(500))") {
                let version = "SELECT inf_value FROM Information WHERE inf_key = 'schema_version'"
                return (try? store.query("SELECT count(*) FROM LabelsInMessages; \(version)")) == "0\n1"
            }
            try end(running)
            try store.query("INSERT INTO Accounts (id, type) VALUES (1, 'std-rss')")
            for (number, feed) in feeds.enumerated() {
                try store.query(
                    """
                    INSERT INTO Feeds (title, category, source, update_type, account_id, custom_id)
                    VALUES ('\(feed)', -1, '\(server.url(feed))', 1, 1, '\(number + 1)')
                    """)
            }
        case .quiteRSS:
            _ = try home.makeDirectory(".config/QuiteRss")
            try end(start())
            for (number, feed) in feeds.enumerated() {
                try store.query(
                    """
                    INSERT INTO feeds (text, title, xmlUrl, parentId, rowToParent, created, flags)
                    VALUES ('\(feed)', '\(feed)', '\(server.url(feed))', 0, \(number), '2020-01-01T00:00:00', '')
                    """)
            }
        }
    }

    /// Starts it, waits until it has the article `newest` of each feed in its database, and ends it.
    func refresh(_ server: FeedServer, _ feeds: [String], newest: Int) throws {
        let titles = feeds.map { "'\($0) \(newest)'" }.joined(separator: ", ")
        let running = try start()
        try eventually("\(app) knows article \(newest): \(running.errors.suffix(500))") {
            let count = "SELECT count(*) FROM \(kind.table) WHERE title IN (\(titles))"
            return access(store.path, F_OK) == 0 && (try? store.count(count)) == feeds.count
        }
        try end(running)
    }

    private var kind: AppStore {
        switch app {
        case .liferea: .liferea
        case .rssGuard: .rssGuard
        case .quiteRSS: .quiteRSS
        }
    }

    /// The SQL that stands for a person: all was read, and has been here since it was published; alpha 2 was starred and
    /// alpha 3 labelled, where the app has labels.
    var reading: String {
        switch app {
        case .liferea: "UPDATE items SET read = 1; UPDATE items SET marked = 1 WHERE title = 'alpha 2'"
        case .rssGuard:
            """
            UPDATE Messages SET is_read = 1;
            UPDATE Messages SET is_important = 1 WHERE title = 'alpha 2';
            INSERT INTO LabelsInMessages SELECT 'later', custom_id, account_id FROM Messages WHERE title = 'alpha 3';
            """
        case .quiteRSS:
            """
            UPDATE news SET read = 2, new = 0, received = published;
            UPDATE news SET starred = 1 WHERE title = 'alpha 2';
            UPDATE news SET label = ',1,' WHERE title = 'alpha 3';
            """
        }
    }

    /// The titles that it shows.
    func shown() throws -> Set<String> { try titles(kind.shown) }

    /// Those of them that are unread.
    func unread() throws -> Set<String> {
        let column = app == .rssGuard ? "is_read" : "read"
        return try titles(kind.shown + (kind.shown.contains("WHERE") ? " AND " : " WHERE ") + "\(column) = 0")
    }

    private func titles(_ query: String) throws -> Set<String> {
        Set(try store.query(query).split(separator: "\n").map(String.init))
    }

    /// Starts it, does `meanwhile` when it has read its database and asks for a feed, and ends it.
    func startAndEnd(asking server: FeedServer, for feed: String, _ meanwhile: () throws -> Void = {}) throws
    {
        let before = server.requests(for: feed)
        let running = try start()
        try eventually("\(app) asks for \(feed)") { server.requests(for: feed) > before }
        try meanwhile()
        try end(running)
    }

    /// Starts it, and returns as soon as it can be ended again.
    func start() throws -> RunningProgram {
        if app == .quiteRSS { try home.write(".config/QuiteRss/QuiteRss.ini", settings) }
        let running = try program.start()
        if app == .quiteRSS {
            try eventually("QuiteRSS runs: \(running.errors)") { access(socket, F_OK) == 0 }
        }
        return running
    }

    /// Ends it as a user would, or the end of a session.
    func end(_ running: RunningProgram) throws {
        if app == .quiteRSS {
            var program = program
            program.arguments = ["--exit"]
            // The first that is told so may still be starting.
            try eventually("QuiteRSS has ended") {
                _ = try program.run()
                return !running.isRunning
            }
        } else {
            // Liferea was seen to miss the signal on a busy machine. Whatever does not end is killed by the session.
            for _ in 0..<3 where running.isRunning {
                running.send(SIGTERM)
                try? eventually("its end", seconds: 30) { !running.isRunning }
            }
            if running.isRunning { running.send(SIGKILL) }
        }
        _ = try running.wait(seconds: 180)
    }

    /// It would otherwise clear away what is older than 30 days itself when it ends.
    private var settings: String {
        """
        [Settings]
        autoUpdatefeedsStartUp=true
        cleanupOnShutdown=false
        showSplashScreen=false
        storeDBMemory=\(isInMemory)

        """
    }

    private var socket: String { home.path + "/qtsingleapp-quiter-9c4b-\(String(getuid(), radix: 16))" }

    private var program: Program {
        let (path, arguments) =
            switch app {
            case .liferea: ("liferea", ["--disable-plugins"])
            case .rssGuard: ("rssguard", ["--data", home.path + "/data"])
            case .quiteRSS: ("quiterss", [])
            }
        return Program(
            path: path, arguments: arguments,
            environment: [
                "HOME": home.path, "TMPDIR": home.path, "XDG_RUNTIME_DIR": home.path, "DISPLAY": display.name,
                // Its own data files, such as the schemas of its settings.
                "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
                // No session: settings are of this process alone, and nobody else is asked for anything.
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "GSETTINGS_BACKEND": "memory",
                "NO_AT_BRIDGE": "1", "QTWEBENGINE_DISABLE_SANDBOX": "1",
            ],
            directory: home.path)
    }
}
