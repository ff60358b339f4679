import Foundation
import TestSupport

/// SQLite without pruned, which takes the same rows out of `t` in some order.
struct SQLiteAlone {
    private enum Order: CaseIterable {
        case text, key, time
    }

    private let order: Order
    private let inOneTransaction: Bool

    static let all = Order.allCases.flatMap { order in
        [false, true].map { SQLiteAlone(order: order, inOneTransaction: $0) }
    }

    /// What is left of the mutant without the rows `going`.
    func rows(of mutant: StoreMutant, going: [String]) throws -> StoreRows {
        let directory = mutant.path + ".alone"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/copy.sqlite"
        try StoreTemplate.write(mutant.files, path)
        let store = try StoreFile(path)
        try store.execute("PRAGMA foreign_keys = ON; PRAGMA secure_delete = FAST")
        if inOneTransaction { try store.execute("BEGIN") }
        for key in keys(going) {
            let change = mutant.template.shape.change.replacing("KEY", with: key)
            try? store.execute("SAVEPOINT one; \(change); RELEASE one")
            try? store.execute("ROLLBACK TO one; RELEASE one")
        }
        if inOneTransaction { try? store.execute("COMMIT") }
        return try StoreRows(path, mutant.template.shape, now: mutant.now)
    }

    /// The keys, as SQL, of those rows that are in `t`.
    private func keys(_ rows: [String]) -> [String] {
        let values = rows.filter { $0.hasPrefix("t: ") }.map { $0.dropFirst(3).split(separator: "|") }
        let sorted = values.sorted { one, other in
            switch order {
            case .text: one[0] < other[0]
            case .key: (Int(one[0]) ?? 0) < (Int(other[0]) ?? 0)
            case .time: (Int(one[1]) ?? 0) < (Int(other[1]) ?? 0)
            }
        }
        return sorted.map { String($0[0]) }
    }
}
