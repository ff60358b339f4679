import CPostgreSQL

/// The rows and the count of one statement. All values are text, as libpq gives them.
final class QueryResult {
    private let library: libpq
    private let result: OpaquePointer

    init(_ result: OpaquePointer, of library: libpq) {
        (self.result, self.library) = (result, library)
    }

    deinit { library.PQclear(result) }

    var count: Int { Int(library.PQntuples(result)) }

    /// How many rows the statement changed; 0 for one that changes none.
    var changes: Int64 { library.PQcmdTuples(result).flatMap { Int64(String(cString: $0)) } ?? 0 }

    /// Nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a value, which are valid as long as this object is; nil for NULL.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (CInt(row), CInt(column))
        guard library.PQgetisnull(result, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: library.PQgetvalue(result, row, column),
            count: Int(library.PQgetlength(result, row, column)))
    }

    func integer(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }

    func isTrue(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

    var columns: Int { Int(library.PQnfields(result)) }

    /// All rows; nil for NULL.
    var rows: [[String?]] {
        (0..<count).map { row in (0..<columns).map { text(row, $0) } }
    }
}
