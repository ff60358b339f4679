import FoundationEssentials
import Glibc

/// Where a store is, so that it can be compared with where it was.
package enum StorePlace {
    /// `path` by the real path of its directory. A store itself is no link, and may be missing.
    package static func resolved(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        let directory = realpath(String(path[...slash]), nil)
        defer { free(directory) }
        guard let directory else { return path }
        let parent = String(cString: directory)
        return (parent == "/" ? "" : parent) + path[slash...]
    }
}
