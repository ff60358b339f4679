import Foundation

/// The store of an operation, as its app sees it.
struct StoreView {
    private let operation: Operation
    private let path: String

    init(_ operation: Operation, in place: String) {
        self.operation = operation
        path = place + "/state/" + operation.storeName
    }

    /// Whether there is a store yet.
    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    private func open() throws -> StoreFile { try StoreFile(path, patience: .zero) }

    /// The rows that must not change.
    func live() throws -> [[[String]]] {
        guard exists else { return [] }
        let store = try open()
        return try operation.live.map { try store.rows($0) }
    }

    /// The rows that the archive has, too, once they are deleted.
    func archived() throws -> Set<[String]> {
        guard exists else { return [] }
        let store = try open()
        return Set(try operation.archived.flatMap { try store.rows($0) })
    }

    /// How many rows are not yet as they are to be.
    func left() throws -> Int64 {
        guard exists else { return 1 }
        let store = try open()
        return try operation.left.reduce(0) { try $0 + abs(store.integers($1)[0]) }
    }

    /// What is wrong with the store, whatever was done to the program; `live` are its rows from before.
    func faults(live: [[[String]]]) throws -> [String] {
        guard exists else { return operation.store == nil ? [] : ["the store is gone"] }
        let store = try open()
        var faults: [String] = []
        let health = try store.texts("PRAGMA integrity_check")
        if health != ["ok"] { faults.append("the store is damaged: \(health)") }
        for (query, before) in zip(operation.live, live) {
            let now = try store.rows(query)
            guard now != before else { continue }
            let lost = before.filter { !now.contains($0) }
            faults.append(
                "\(lost.count) live rows are lost or changed, \(now.count) there: \(query) \(lost.prefix(2))")
        }
        for query in operation.never {
            let rows = try store.rows(query)
            if !rows.isEmpty { faults.append("there must be no \(query), but \(rows.prefix(3))") }
        }
        return faults
    }

    /// Writes like an app without a busy timeout.
    func write() throws {
        guard exists else { return }
        try open().execute(operation.app)
    }

    /// How often ``write()`` was done.
    func written() throws -> Int64 {
        guard operation.store != nil else { return 1 }
        return try open().integers("SELECT count(*) FROM app")[0]
    }
}
