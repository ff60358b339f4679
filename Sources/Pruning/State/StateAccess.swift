import FoundationEssentials
import Glibc

/// Whether what a state directory holds can be read. What cannot be is not empty: a run that took it for that would forget
/// what was held and when the clock was last believed, and whoever looks would be told that nothing ever ran.
package enum StateAccess {
    /// What the guards of a run go by.
    private static let ofGuards = ["last-runs.json", "holds.json", "clock.json"]
    /// What is shown beside that.
    private static let shown = ["history.jsonl", "history.1.jsonl", "metrics.json"]

    /// Throws where `directory`, or one of the files that guards go by, is there and cannot be read.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput``.
    package static func checkForRun(_ directory: String) throws(StoreError) {
        try check(directory, ofGuards)
    }

    /// Throws where `directory`, or one of its files, is there and cannot be read.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput``.
    package static func checkAll(_ directory: String) throws(StoreError) {
        try check(directory, ofGuards + shown)
    }

    private static func check(_ directory: String, _ names: [String]) throws(StoreError) {
        var status = stat()
        guard stat(directory, &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno, directory) }
            return
        }
        // Root may enter anything, and would be told that it may not enter a file.
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(ENOTDIR, directory) }
        guard access(directory, R_OK | X_OK) == 0 else { throw failure(errno, directory) }
        for path in names.map({ directory + "/" + $0 }) {
            guard access(path, R_OK) == 0 || errno == ENOENT else { throw failure(errno, path) }
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> StoreError {
        let isRefused = code == EACCES || code == EPERM
        return .system(
            code, operation: "look at the state", place: path,
            hint: isRefused ? "run as root, as the directory's owner, or as a member of its group" : nil)
    }
}
