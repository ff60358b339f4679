import CPostgreSQL
import Pruning

/// libpq, loaded when it is first needed.
enum ClientLibrary {
    /// Throws ``StoreErrorKind/unsupported`` where it is not installed.
    static func load(place: String) throws(StoreError) -> libpq {
        var reason: UnsafePointer<CChar>?
        guard let library = libpq_load(&reason) else {
            throw StoreError(
                .unsupported, operation: "connect", place: place,
                cause: reason.map { String(cString: $0) } ?? "libpq cannot be loaded",
                hint: "install the package libpq5")
        }
        return library.pointee
    }
}

extension libpq {
    /// The settings that have a value. Frees `options`.
    func settings(taking options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(options) }
        var (values, option): ([String: String], UnsafeMutablePointer<PQconninfoOption>) = ([:], options)
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }
}
