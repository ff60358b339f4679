import FoundationEssentials
import SQLite

/// What stands in the ledger, within one transaction. Each part of it is an extension.
package struct LedgerTables {
    let db: Database

    /// What was read could not have been written here.
    struct Unreadable: Error {
        let cause: String
    }

    /// Looks at a row of each table that a run goes by, which a damaged file may not have.
    func checkAll() throws {
        for table in ["history", "run_rule", "last_run", "hold", "confirmed_rest", "clock", "document"] {
            do throws(DatabaseError) { _ = try db.row("SELECT * FROM \(table) LIMIT 1") } catch {
                throw SQLiteCode.isOfSchema(error.code) ? Unreadable(cause: error.message) : error
            }
        }
    }
}

/// Values as the tables have them.
extension LedgerTables {
    static func value(_ date: Date?) -> DatabaseValue { date.map { .int64(microseconds(of: $0)) } ?? .null }

    static func value(_ text: String?) -> DatabaseValue { text.map { .text($0) } ?? .null }

    static func value(_ number: Int64?) -> DatabaseValue { number.map { .int64($0) } ?? .null }

    static func date(_ value: DatabaseValue) -> Date? {
        value == .null ? nil : date(microseconds: value.integer)
    }

    static func text(_ value: DatabaseValue) -> String? { value == .null ? nil : value.string }

    static func number(_ value: DatabaseValue) -> Int64? { value == .null ? nil : value.integer }

    /// As far as a calendar goes, in seconds.
    private static let longest = 253_402_300_799.0

    private static func bounded(_ seconds: Double) -> Double { min(max(seconds, -longest), longest) }

    /// Rounded down.
    static func microseconds(of date: Date) -> Int64 {
        Int64((bounded(date.timeIntervalSince1970) * 1_000_000).rounded(.down))
    }

    static func date(microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: bounded(Double(microseconds) / 1_000_000))
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(microseconds(of: date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decoded<Value: Decodable>(_ json: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            date(microseconds: try decoder.singleValueContainer().decode(Int64.self))
        }
        do {
            return try decoder.decode(Value.self, from: Data(json.utf8))
        } catch {
            throw Unreadable(cause: "what it says cannot be understood")
        }
    }
}
