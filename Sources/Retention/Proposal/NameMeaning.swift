extension NameWords {
    /// What a value in a column says of its row.
    enum Meaning: Equatable {
        /// Done with, such as read.
        case done
        /// Not yet done with, such as unread.
        case open
        /// Wanted, such as starred.
        case wanted
        /// Wanted, in a person's own words, such as labels.
        case annotation
        /// Gone for the app's user, such as deleted.
        case gone
        /// One of several states, of which some may matter.
        case status
        /// It may matter, and the name does not say how, as in `archived` or `read_progress`.
        case unclear
    }

    /// What a column of this name says of its row; nil if the name has no word for what a person read or wants.
    var meaning: Meaning? {
        let isNegated = words.contains(where: Self.negations.contains)
        // What was last seen by the app was not seen by a person.
        let isSighting = words.contains("last") || words.contains("first")
        let rest = words.filter {
            !Self.negations.contains($0) && !Self.fillers.contains($0) && !(isSighting && $0 == "seen")
        }
        let joined = rest.joined()
        let name =
            ["is", "was", "has"].first { joined.hasPrefix($0) && joined != $0 }
            .map { String(joined.dropFirst($0.count)) } ?? joined
        if Self.done.contains(name) { return isNegated ? .open : .done }
        if Self.open.contains(name) { return isNegated || words.contains("marked") ? .unclear : .open }
        if isWanted(name) {
            return isNegated || isDenied || isAboutReading && !isForLater ? .unclear : .wanted
        }
        if words.contains(where: Self.annotations.contains) || Self.annotations.contains(name) {
            return isNegated || isAboutReading ? .unclear : .annotation
        }
        if let last = rest.last, Self.gone.contains(last) || Self.gone.contains(name) { return .gone }
        if isAboutReading || mentions(Self.stems) { return .unclear }
        return words.contains { ["status", "state"].contains($0) } ? .status : nil
    }

    private func isWanted(_ name: String) -> Bool {
        Self.wanted.contains(name) || isForLater
            || words.contains { word in
                Self.wanted.contains(word) || Self.wantedParts.contains { word.contains($0) }
            }
    }

    /// Whether a person wants to read the row another time. What is to be read is not read.
    private var isForLater: Bool {
        words.contains { ["later", "keep", "toread", "readlater", "readinglist", "todo"].contains($0) }
            || words.contains { $0.contains("keepunread") }
            || zip(words, words.dropFirst()).contains { $0 == "to" && $1.hasPrefix("read") }
    }

    /// Whether a word denies that the row is wanted, such as `unstarred`.
    private var isDenied: Bool {
        words.contains { word in
            let tail = word.dropFirst(2)
            return word.hasPrefix("un")
                && (Self.wanted.contains(String(tail)) || Self.wantedParts.contains { tail.contains($0) })
        }
    }

    private var isAboutReading: Bool { mentions(["read", "seen", "viewed"]) }

    /// Whether a word has one of these in it, as `usertags` has tags, apart from what only looks so, as in `thread`.
    private func mentions(_ stems: [String]) -> Bool {
        let isSighting = words.contains("last") || words.contains("first")
        return words.contains { word in
            guard !isSighting || word != "seen" else { return false }
            let rest = Self.lookalikes.reduce(word) { $0.replacing($1, with: "-") }
            return stems.contains(where: rest.contains)
        }
    }

    private static let negations: Set = ["not", "no", "non", "un", "never", "dont", "without"]
    /// They say nothing beside another word. `state` and `status` say something alone.
    private static let fillers: Set = [
        "is", "was", "has", "been", "flag", "a", "item", "entry", "article", "message", "mail", "post",
        "news", "story",
        "at", "on", "date", "time", "timestamp", "datetime", "ts", "utc", "when", "status", "state",
        "already", "last",
        "first", "marked", "as",
    ]
    private static let done: Set = [
        "read", "seen", "viewed", "opened", "processed", "completed", "done", "acknowledged", "delivered",
        "watched",
        "played", "listened", "finished", "synced", "uploaded", "exported", "consumed",
    ]
    private static let open: Set = [
        "unread", "unseen", "new", "pending", "unprocessed", "unplayed", "unwatched", "unlistened",
        "unopened", "unviewed",
        "dirty", "unsynced", "incomplete", "unfinished",
    ]
    private static let wanted: Set = [
        "star", "stars", "fav", "favs", "faved", "save", "saves", "saved", "important", "pin", "pins",
        "pinned", "flagged",
        "marked", "marker", "like", "likes", "liked", "love", "loved", "heart", "hearted", "lock", "locked",
        "protected",
        "protect", "keep", "keeps", "kept", "later", "todo", "todos", "want", "wanted", "wishlist",
        "watchlist", "hold", "held", "retain", "retained", "preserve", "preserved", "permanent", "sticky",
        "share", "shared",
        "rating", "rated", "score", "draft", "toread", "readlater", "readinglist", "subscribed",
    ]
    private static let wantedParts = ["starred", "favor", "favour", "bookmark", "pinned", "keepunread"]
    private static let annotations: Set = [
        "flags", "label", "labels", "labelled", "labeled", "tag", "tags", "tagged", "note", "notes",
        "annotation",
        "annotations", "highlight", "highlights", "highlighted",
    ]
    private static let gone: Set = ["deleted", "removed", "trashed", "pdeleted"]
    private static let stems = [
        "flag", "archiv", "star", "fav", "bookmark", "keep", "kept", "save", "later", "label", "tags",
        "usertag", "hashtag",
        "pinned", "like", "todo", "notes", "highlight", "important", "share",
    ]
    private static let lookalikes = [
        "thread", "spread", "bread", "already", "readonly", "readability", "readable", "readme", "reader",
        "ready",
        "lastseen", "firstseen", "start", "favicon", "etag", "keepalive", "lateral", "likely",
    ]
}
