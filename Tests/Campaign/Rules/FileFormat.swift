/// How SQLite stores a database.
struct FileFormat {
    /// The archive has texts as UTF-8 alone.
    let isUTF8: Bool
    private let settings: [String]

    init(_ random: inout SampleRandom) {
        let encoding = random.chance(0.2) ? random.pick("UTF-16le", "UTF-16be") : "UTF-8"
        isUTF8 = encoding == "UTF-8"
        settings = [
            "encoding = '\(encoding)'",
            "page_size = \(random.pick(512, 1_024, 4_096, 4_096, 16_384, 65_536))",
            "auto_vacuum = \(random.pick("NONE", "INCREMENTAL", "FULL"))",
            "journal_mode = \(random.pick("WAL", "WAL", "DELETE", "TRUNCATE", "PERSIST"))",
        ]
    }

    /// The statements that an empty database begins with.
    var sql: String { settings.map { "PRAGMA \($0);" }.joined() }
}
