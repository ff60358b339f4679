/// The measurement of one or more rows of the targets.
struct Measurement: Sendable {
    let rows: [String]
    let measure: @Sendable (Race, Sizes) throws -> [Finding]

    init(_ rows: String..., measure: @escaping @Sendable (Race, Sizes) throws -> [Finding]) {
        self.rows = rows
        self.measure = measure
    }
}

/// How large the stores are: as the targets ask for, unless said otherwise.
struct Sizes {
    /// Read records of rows 1, 2, 2b, 6 and 7.
    var usual = [3_000_000, 10_000_000]
    /// Read records of rows 3, 4 and 14; rows of row 28.
    var large = 10_000_000
    /// Read records of rows 8, 10, 15 and 18; articles of rows 20 to 22 and 24 to 27.
    var middle = 3_000_000
    /// Read records of rows 9 and 12, rows of row 30; the first one is too small for row 12.
    var growing = [100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000]
    /// Read records of rows 13 and 19, rows of row 29.
    var small = 1_000_000
    /// Articles of rows 33 and 34.
    var mariaDB = 1_000_000
    /// Of row 5.
    var feeds = 40_000
    /// Fresh feeds of row 16.
    var freshFeeds = 1_000
    /// Read records of row 17.
    var loaded = 100_000
    /// Read records of row 19 where the rule is quiet, which takes hundreds of times as long.
    var quiet = 100_000
    /// The same with a rollback journal: every batch is long, whatever it deletes, and so is the pause after it.
    var quietWithJournal = 4_000
    /// What is deleted in rows 16 and 17.
    var oldItems = 1_000_000
    /// Articles of row 23: a database of 1 GB and a little more.
    var suggested = 10_000_000
    /// Of row 31.
    var stores = 500
    /// How long the service of row 11 is watched.
    var idleSeconds = 60
    /// How long the app works alone, to be compared with.
    var aloneSeconds = 5
    /// Pairs of runs in each round of rows 16 and 17.
    var pairs = 4

    /// Just enough to see that everything works.
    static let quick = Sizes(
        usual: [40_000], large: 40_000, middle: 40_000, growing: [10_000, 40_000], small: 40_000,
        mariaDB: 20_000, feeds: 2_000, freshFeeds: 100, loaded: 10_000, quiet: 20_000, quietWithJournal: 100,
        oldItems: 400_000, suggested: 40_000, stores: 30, idleSeconds: 2, aloneSeconds: 1, pairs: 1)
}
