import Glibc

/// A store's location, in a form that can be compared.
package enum StorePlace {
    /// `path` without links. The store's file itself is a link only where an older version had the default store, and it may
    /// be missing.
    package static func resolved(_ path: String) -> String {
        if let file = real(path) { return file }
        guard let slash = path.lastIndex(of: "/"), let parent = real(String(path[...slash])) else {
            return path
        }
        return (parent == "/" ? "" : parent) + path[slash...]
    }

    private static func real(_ path: String) -> String? {
        let real = realpath(path, nil)
        defer { free(real) }
        return real.map { String(cString: $0) }
    }
}
