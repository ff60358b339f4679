import SQLite

/// What a version before the ledger kept in files of its own: nothing reads them, and nothing removes them.
enum OldStateFiles {
    private static let all = [
        "last-runs.json", "holds.json", "clock.json", "metrics.json", "history.jsonl", "history.1.jsonl",
        "service.json", "reload.json",
    ]

    /// Those that lie in a directory.
    static func names(in directory: String) -> [String] {
        all.filter { FileFacts(at: directory + "/" + $0) != nil }
    }
}
