/// The tables whose rows have a time, with their names in the store.
public enum ReaderTable: String, CaseIterable, Sendable {
    /// The read records.
    case readRecord = "read_record"
    /// The cached feeds, with their articles.
    case feed
    /// The timeline.
    case tweet
    /// The app's items.
    case item

    var idColumn: String { self == .feed ? "tab_id" : "id" }

    var timeColumn: String {
        switch self {
        case .readRecord, .tweet: "created_at"
        case .feed: "expires_at"
        case .item: "timestamp"
        }
    }
}
