/// A row of the app's table `item`, as the app committed it last.
struct AppRow: Hashable {
    var feed: Int
    /// In seconds since 1970; nil: NULL, a row without a time.
    var received: Int64?
    var starred = false
    /// Counts the changes of its text.
    var version: Int
    var size: Int
    /// Whether the app knows it as marked by a run.
    var marked = false
    /// How many rows of `label` refer to it.
    var labels = 0
    /// How many rows of `child` belong to it.
    var children = 0

    var body: String { "\(version)." + (String(Self.filling.utf8.prefix(size)) ?? "") }

    static let mostText = 300
    static let filling = String(repeating: "x", count: mostText)
}
