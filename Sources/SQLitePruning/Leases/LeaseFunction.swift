import Archive
import CSQLite
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The SQL function that tells whether a row was recently put back from the archive, and therefore stays.
final class LeaseFunction {
    private let archive: StoreArchive
    /// By table, as `comparedName`.
    private var known: [[UInt8]: Leases] = [:]

    init(_ archive: StoreArchive) {
        self.archive = archive
    }

    /// The condition that is true of rows of the rule's table that no lease keeps; nil if there are no leases.
    func condition(on bound: BoundRule, at date: Date, in db: Database) throws -> LeaseCondition? {
        let condition = try LeaseCondition(on: bound, in: db) { table in
            try leases(of: table, at: date, for: bound.rule)
        }
        if condition != nil { try define(in: db) }
        return condition
    }

    private func leases(of table: TableSchema, at date: Date, for rule: RetentionRule) throws -> Leases {
        let leases: Leases
        do {
            leases =
                try known[table.name.comparedName]
                ?? archive.archive.leases(of: table.name, in: archive.store, at: date)
        } catch let error as StoreError
            where rule.archiveKeep == nil && [.damaged, .other].contains(error.kind)
        {
            // Rules that do not archive must go on even if the archive can never be read again. Other errors are
            // thrown: a busy archive can be read soon, and an archive that this user may not read still has its leases.
            leases = Leases()
        }
        known[table.name.comparedName] = leases
        return leases
    }

    /// Whether the row has a lease. The arguments are its table and its key.
    private func isLeased(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) -> Bool {
        guard let table = arguments.first, let text = sqlite3_value_text(table),
            let leases = known[String(cString: text).comparedName]
        else { return false }
        var fingerprint = Leases.noFingerprint
        for argument in arguments.dropFirst() {
            var part: [UInt8] = []
            RowEncoding.appendKey(argument: argument, to: &part)
            fingerprint = Leases.fingerprint(of: part, after: fingerprint)
            // The lease may be older than the last columns of the table.
            if leases.contains(fingerprint) { return true }
        }
        return false
    }

    private func define(in db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.handle, LeaseCondition.function, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(self).toOpaque(),
            { context, count, arguments in
                guard let function = sqlite3_user_data(context), let arguments else { return }
                let values = UnsafeMutableBufferPointer(start: arguments, count: Int(count))
                let isLeased = Unmanaged<LeaseFunction>.fromOpaque(function).takeUnretainedValue()
                    .isLeased(values)
                sqlite3_result_int(context, isLeased ? 1 : 0)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
    }
}

/// The archive as one store uses it.
struct StoreArchive: Sendable {
    let archive: any RowArchive
    let store: Name
}
