import Glibc

/// A store's location, in a form that can be compared.
package enum StorePlace {
    /// `path` with its directory resolved to a real path. The store's file itself is never a link, and may be missing.
    package static func resolved(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        let directory = realpath(String(path[...slash]), nil)
        defer { free(directory) }
        guard let directory else { return path }
        let parent = String(cString: directory)
        return (parent == "/" ? "" : parent) + path[slash...]
    }
}
