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
