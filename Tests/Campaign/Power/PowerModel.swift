/// What must be in the table `item` after so many transactions of the app, whatever pruned has done.
struct PowerModel {
    static let oldRows: Int64 = 1_200
    static let liveRows: Int64 = 200
    private static let firstLive: Int64 = 500_000
    private static let firstInserted: Int64 = 1_000_000
    private static let firstBrought: Int64 = 2_000_000
    private static let broughtAtOnce: Int64 = 40

    /// The rows that no run may delete, with their texts.
    private(set) var live: [Int64: String] = [:]
    /// The expired rows: in the store or in the archive.
    private(set) var old: Set<Int64>
    /// The expired rows that the app deleted: a restore may bring them back.
    private(set) var gone: Set<Int64> = []

    /// Before the first transaction.
    init() {
        old = Set(1...Self.oldRows)
        for row in Self.firstLive..<Self.firstLive + Self.liveRows { live[row] = Self.text(of: row) }
    }

    mutating func apply(_ transaction: Transaction) {
        switch transaction.change {
        case .insert: for row in Self.rows(of: transaction) { live[row] = Self.text(of: row) }
        case .bring: old.formUnion(Self.rows(of: transaction))
        case .refresh:
            guard let row = transaction.row else { return }
            old.remove(row)
            live[row] = Self.refreshed(by: transaction.number)
        case .delete:
            guard let row = transaction.row, old.remove(row) != nil else { return }
            gone.insert(row)
        }
    }

    /// The keys that the transaction adds.
    static func rows(of transaction: Transaction) -> Range<Int64> {
        let number = Int64(transaction.number)
        switch transaction.change {
        case .insert: return firstInserted + number..<firstInserted + number + 1
        case .bring:
            let first = firstBrought + number * broughtAtOnce
            return first..<first + broughtAtOnce
        case .refresh, .delete: return 0..<0
        }
    }

    static func text(of row: Int64) -> String {
        "row \(row) " + String(repeating: "\(row % 97),", count: Int(row * 7919 % 150))
    }

    static func refreshed(by number: Int) -> String { "refreshed by \(number)" }

    /// The time of an expired row.
    static func time(ofOld row: Int64) -> Int64 { 1_600_000_000 + row }
}
