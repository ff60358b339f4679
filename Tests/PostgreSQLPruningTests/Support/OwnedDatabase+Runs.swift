import Foundation
import Pruning
import TestSupport
import Retention

@testable import PostgreSQLPruning

/// Runs on the database, as the store `s` of a policy.
extension OwnedDatabase {
    func store(
        _ rules: [RetentionRule], gate: StoreGate? = nil, reclaims: Bool = false
    ) throws -> PostgreSQLStore {
        let url = database.url(user: role)
        var definition = StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url)))
        (definition.gate, definition.reclaim) = (gate, reclaims)
        return PostgreSQLStore(
            definition, url: url,
            holder: "pruned test:1", rules: rules, monotonic: systemMonotonic)
    }

    /// What a run of `rules` reports of each.
    func prune(
        _ rules: [RetentionRule], at start: Date = runStart, in zone: Zone = .gmt, dryRun: Bool = false,
        accessPath: AccessPath? = nil, _ emit: @escaping @Sendable (PruneEvent) -> Void = { _ in }
    ) throws -> [RuleReport] {
        PruneRun.report(
            rules, on: [try store(rules)], at: start, timeZone: zone, dryRun: dryRun, accessPath: accessPath,
            emit
        ).rules
    }

    /// What a run of one rule reports.
    func outcome(
        _ rule: RetentionRule, at start: Date = runStart, in zone: Zone = .gmt, dryRun: Bool = false,
        accessPath: AccessPath? = nil
    ) throws -> RuleReport {
        try prune([rule], at: start, in: zone, dryRun: dryRun, accessPath: accessPath)[0]
    }

    /// A connection of the app that stays.
    func app() throws -> AppConnection {
        let address = Address(text: database.url(user: owner), place: "the database")
        return AppConnection(try Connection(address, RunControl(monotonic: systemMonotonic)))
    }
}

/// The app at its database.
struct AppConnection {
    private let connection: Connection

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// Runs statements, all of them or none.
    func execute(_ sql: String) throws {
        _ = try connection.run("SET client_min_messages = error")
        _ = try connection.run(sql)
    }

    /// The first column of a query's result.
    func texts(_ sql: String) throws -> [String] { try connection.query(sql).rows.map { $0[0] ?? "NULL" } }

    func integers(_ sql: String) throws -> [Int] { try texts(sql).compactMap { Int($0) } }
}
