import Foundation
import TestSupport

/// SQLite without pruned, which takes the same rows out of `t` in some order, or by one statement: where two pointers lead to
/// one cell, that meets it twice.
struct SQLiteAlone {
    private enum Order {
        case text, key, time
        case shuffled(seed: UInt64)
        case statement
    }

    private let order: Order
    private let inOneTransaction: Bool

    private static let orders = [.text, .key, .time, .statement] + (1...20).map { Order.shuffled(seed: $0) }

    static let all = orders.flatMap { order in
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
        let shape = mutant.template.shape
        for change in changes(of: shape, going, mutant.now) {
            try? store.execute("SAVEPOINT one; \(change); RELEASE one")
            try? store.execute("ROLLBACK TO one; RELEASE one")
        }
        if inOneTransaction { try? store.execute("COMMIT") }
        return try StoreRows(path, shape, now: mutant.now)
    }

    /// The statements for those of `rows` that are in `t`.
    private func changes(of shape: StoreShape, _ rows: [String], _ now: Int) -> [String] {
        let values = rows.filter { $0.hasPrefix("t: ") }.map { $0.dropFirst(3).split(separator: "|") }
        let sorted: [[Substring]]
        switch order {
        case .statement:
            return [shape.change.replacing("id = KEY", with: StoreRows.isExpired(shape, now))]
        case .text: sorted = values.sorted { $0[0] < $1[0] }
        case .key: sorted = values.sorted { number($0[0]) < number($1[0]) }
        case .time: sorted = values.sorted { number($0[1]) < number($1[1]) }
        case .shuffled(let seed): sorted = shuffled(values.sorted { $0[0] < $1[0] }, seed)
        }
        return sorted.map { shape.change.replacing("KEY", with: $0[0]) }
    }

    private func number(_ text: Substring) -> Int { Int(text) ?? 0 }

    private func shuffled<Element>(_ values: [Element], _ seed: UInt64) -> [Element] {
        var generator = SeededGenerator(seed: seed)
        return values.shuffled(using: &generator)
    }
}
