import Foundation
import TestSupport

/// What must be in the app's database: the rows as the app committed them last, less those that may have expired.
///
/// The app is the only other writer, and its commits come one after the other. So a run may have taken a row if and only if
/// the row, as it was committed last, expires by the rule; each other row must be there, as it is here.
struct AppModel {
    let tables: AppTables
    private(set) var rows: [String: AppRow] = [:]
    /// The keys of the rows, to choose from.
    private(set) var keys: [String] = []
    private var places: [String: Int] = [:]
    /// What runs deleted, by key, with each content that a row of this key had.
    private(set) var gone: [String: [AppRow]] = [:]
    /// The keys of rows that were put back: no run may delete them again.
    private(set) var leased: Set<String> = []
    /// How many rows runs took, and how many restores put back.
    private(set) var (taken, returned) = (0, 0)
    /// Keys that were deleted lately.
    private(set) var freeKeys: [String] = []
    /// Why no run may delete anything now.
    var frozen: String?
    /// Whether archived rows are being put back.
    var restores = false
    /// Whether a run was killed: it may have left copies in the archive of rows that it did not delete.
    var hasCopies = false
    var findings: [String] = []
    private let contents = Contents()

    init(_ tables: AppTables) { self.tables = tables }

    mutating func set(_ row: AppRow, for key: String) {
        contents.add(row, key)
        if rows.updateValue(row, forKey: key) == nil {
            places[key] = keys.count
            keys.append(key)
        }
    }

    @discardableResult
    mutating func remove(_ key: String) -> AppRow? {
        guard let row = rows.removeValue(forKey: key), let place = places.removeValue(forKey: key) else {
            return nil
        }
        let last = keys.removeLast()
        if place < keys.count {
            keys[place] = last
            places[last] = place
        }
        if freeKeys.count == 64 { freeKeys.removeFirst() }
        freeKeys.append(key)
        return row
    }

    /// Why no run that began before `now` may take the row; nil if one may.
    func reasonToStay(_ row: AppRow, _ key: String, at now: Int64) -> String? {
        frozen ?? reasonInItself(row, key, at: now)
    }

    private func reasonInItself(_ row: AppRow, _ key: String, at now: Int64) -> String? {
        guard let received = row.received else { return "it has no time" }
        if received >= now - AppTables.keep { return "it has not expired" }
        if row.starred { return "it is starred" }
        if row.labels > 0 { return "it has \(row.labels) labels" }
        if tables.hasCondition, row.feed == AppTables.keptFeed { return "its feed is kept" }
        if row.marked { return "it is marked" }
        if leased.contains(key) { return "it was put back" }
        return nil
    }

    /// The app has seen that a row is not there.
    mutating func lose(_ key: String, at now: Int64) {
        guard let row = rows[key] else { return }
        if tables.action == .mark {
            findings.append("\(key) is gone, and the rule only marks: \(row)")
        } else if let reason = reasonToStay(row, key, at: now) {
            findings.append("\(key) is gone, although \(reason): \(row)")
        }
        remove(key)
        gone[key, default: []].append(row)
        taken += 1
    }

    /// The app has seen whether a row is marked.
    mutating func see(_ key: String, marked: Bool, at now: Int64) {
        guard var row = rows[key], row.marked != marked else { return }
        if !marked {
            findings.append("\(key) has lost its mark: \(row)")
        } else if tables.action != .mark {
            findings.append("\(key) is marked, and the rule deletes: \(row)")
        } else if let reason = reasonToStay(row, key, at: now) {
            findings.append("\(key) is marked, although \(reason): \(row)")
        }
        row.marked = marked
        rows[key] = row
        taken += marked ? 1 : 0
    }

    /// Compares with all that is in the database.
    mutating func compare(_ found: [String: AppRow], tombstones: Set<String>, at now: Int64) {
        for key in keys where found[key] == nil { lose(key, at: now) }
        for (key, row) in found {
            guard rows[key] != nil else {
                takeBack(row, key, at: now)
                continue
            }
            see(key, marked: row.marked, at: now)
            if rows[key] != row {
                findings.append(
                    "\(key) is \(row), and was committed as \(rows[key].map { "\($0)" } ?? "nothing")")
            }
        }
        let expected = tables.action == .tombstone ? Set(gone.keys) : []
        if tombstones != expected {
            findings.append(
                "tombstones: \(expected.subtracting(tombstones).count) missing, "
                    + "\(tombstones.subtracting(expected).count) too many")
        }
    }

    /// A row is there that was not: only a restore can have done that. Copies were made before the schema changed.
    private mutating func takeBack(_ row: AppRow, _ key: String, at now: Int64) {
        if restores, let content = gone[key]?.firstIndex(of: row) {
            gone[key]?.remove(at: content)
        } else if !restores || !hasCopies || !contents.had(row, key)
            || reasonInItself(row, "", at: now) != nil
        {
            findings.append("\(key) is there again: \(row)")
        }
        set(row, for: key)
        leased.insert(key)
        returned += 1
    }

    /// The rows that a whole run beginning after `now` deletes or marks.
    func expired(at now: Int64) -> [String] {
        keys.filter { key in
            // A lease is known by its key alone.
            !(restores && gone[key] != nil)
                && rows[key].map { reasonToStay($0, key, at: now) == nil } ?? false
        }
    }

    /// The keys that are free and of which the archive has rows.
    var archived: [String] { gone.filter { !$0.value.isEmpty && rows[$0.key] == nil }.map(\.key) }
}

/// What each row was at some time. A transaction that is rolled back leaves here what it has tried.
private final class Contents {
    private var hashes: Set<Int> = []

    func add(_ row: AppRow, _ key: String) { hashes.insert(hash(row, key)) }

    func had(_ row: AppRow, _ key: String) -> Bool { hashes.contains(hash(row, key)) }

    private func hash(_ row: AppRow, _ key: String) -> Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(row)
        return hasher.finalize()
    }
}
