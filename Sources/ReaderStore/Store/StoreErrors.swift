import DefaultStore
import GRDB

extension ReaderStoreError {
    /// A loader reports "not modified" although no feed is cached.
    static func notLoaded(tab: Int64, path: String) -> Self {
        Self(
            kind: .invalid, operation: "cache the feed of tab \(tab) in", path: path,
            cause: "its source says that it has not changed, and nothing of it is cached",
            hint: "look at what it serves")
    }

    /// A value that the store cannot store.
    static func invalid(_ operation: String, path: String, cause: String) -> Self {
        Self(
            kind: .invalid, operation: operation, path: path, cause: cause,
            hint: "the store holds no such value")
    }

    /// A call that is not permitted here.
    static func misuse(_ operation: String, path: String, cause: String, hint: String) -> Self {
        Self(kind: .misuse, operation: operation, path: path, cause: cause, hint: hint)
    }

    /// A call on a store that was closed.
    static func closed(_ operation: String, path: String) -> Self {
        .misuse(operation, path: path, cause: "the store was closed", hint: "open it again")
    }

    /// A path with a NUL. The system would cut it off there, and open a different file.
    static func noPath(_ path: String) -> Self {
        Self(
            kind: .inputOutput, operation: "open the store", path: path.visible,
            cause: "there is a NUL in the path",
            hint: "no file has such a name")
    }

    /// The open file is no longer at its path.
    static func moved(_ operation: String, path: String) -> Self {
        Self(
            kind: .moved, operation: operation, path: path,
            cause: "the store was moved, replaced or deleted while it was open", hint: "open it again")
    }

    /// The error for an operation on the store at `path` that SQLite reported.
    public static func database(_ operation: String, path: String, _ error: any Error) -> Self {
        guard let error = error as? DatabaseError else {
            return Self(
                kind: .inputOutput, operation: operation, path: path, cause: "\(error)",
                hint: "check the path, the free space and the kernel log")
        }
        return .database(operation, path: path, SQLiteFailure(error))
    }
}

extension SQLiteFailure {
    init(_ error: DatabaseError) {
        self.init(code: error.resultCode.rawValue, message: error.message ?? error.resultCode.description)
    }
}
