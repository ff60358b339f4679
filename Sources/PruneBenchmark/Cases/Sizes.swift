/// How large the stores are.
struct Sizes {
    /// Read records of rows 1, 2, 2b, 6 and 7.
    let usual: [Int]
    /// Read records of rows 3, 4 and 14.
    let large: Int
    /// Read records of rows 8, 10, 15 and 18.
    let middle: Int
    /// Read records of rows 9 and 12; the first one is too small for row 12.
    let growing: [Int]
    /// Read records of rows 13 and 19.
    let archived: Int
    /// Of row 5.
    let feeds: Int
    /// Fresh feeds of row 16.
    let shownFeeds: Int
    /// Read records of row 17.
    let shownRecords: Int
    /// Read records of row 19 where the rule is quiet, which takes hundreds of times as long.
    let quiet: Int
    /// The same with a rollback journal, where a batch is long, whatever it deletes, and so is the pause after it.
    let quietWithJournal: Int
    /// What is deleted in rows 16 and 17.
    let oldItems: Int
    /// How long the service of row 11 is watched.
    let idleSeconds: Int
    /// For so long the app works alone, to be compared with.
    let aloneSeconds: Int
    /// Pairs of runs in each round of rows 16 and 17.
    let pairs: Int

    /// What the targets ask for.
    static let full = Sizes(
        usual: [3_000_000, 10_000_000], large: 10_000_000, middle: 3_000_000,
        growing: [100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000], archived: 1_000_000, feeds: 40_000,
        shownFeeds: 1_000, shownRecords: 100_000, quiet: 100_000, quietWithJournal: 4_000,
        oldItems: 1_000_000,
        idleSeconds: 60,
        aloneSeconds: 5,
        pairs: 4)

    /// Just enough to see that everything works.
    static let quick = Sizes(
        usual: [40_000], large: 40_000, middle: 40_000, growing: [10_000, 40_000], archived: 40_000,
        feeds: 2_000,
        shownFeeds: 100, shownRecords: 10_000, quiet: 20_000, quietWithJournal: 100, oldItems: 400_000,
        idleSeconds: 2,
        aloneSeconds: 1,
        pairs: 1)

    /// The same with other numbers of read records, in ascending order.
    func with(records: [Int]) -> Sizes {
        guard let first = records.first, let last = records.last else { return self }
        return Sizes(
            usual: records, large: last, middle: first, growing: [first / 10] + records, archived: first,
            feeds: feeds,
            shownFeeds: shownFeeds, shownRecords: shownRecords, quiet: quiet,
            quietWithJournal: quietWithJournal, oldItems: oldItems,
            idleSeconds: idleSeconds, aloneSeconds: aloneSeconds, pairs: pairs)
    }
}

extension Int {
    /// "3 million", "40,000".
    var inWords: String {
        guard self >= 1_000_000, isMultiple(of: 100_000) else {
            return formatted(.number.locale(.init(identifier: "en_US")))
        }
        let millions = Double(self) / 1e6
        return "\(millions.formatted(digits: isMultiple(of: 1_000_000) ? 0 : 1)) million"
    }
}
