/// What the words of a column's name say about its values.
struct NameWords {
    /// In lower case: `lastSeen_at` is last, seen, at.
    private let words: [String]

    init(_ name: String) {
        var words: [String] = [""]
        var wasLower = false
        // Core Data calls the attribute isRead ZISREAD.
        let isCoreData = name.hasPrefix("Z") && name == name.uppercased()
        for character in name.unicodeScalars.dropFirst(isCoreData ? 1 : 0) {
            let isUpper = ("A"..."Z").contains(character)
            let isLetter = isUpper || ("a"..."z").contains(character) || character.value > 127
            // A capital after a small letter begins a word, as does everything after what is no letter.
            if !isLetter || isUpper && wasLower { words.append("") }
            if isLetter { words[words.count - 1] += String(character).lowercased() }
            wasLower = isLetter && !isUpper
        }
        self.words = words.filter { !$0.isEmpty }
    }

    /// What a time column is for.
    enum Time: Equatable {
        case age
        /// The time is one at which the row expires.
        case deadline
    }

    /// What a time in this column would be for; nil if the name does not speak of time.
    var time: Time? {
        if words.contains(where: Self.deadlines.contains) { return .deadline }
        let isTime =
            words.contains { word in
                Self.times.contains(word)
                    || !Self.durations.contains(word) && Self.ends.contains { word.hasSuffix($0) }
            } || words == ["at"] || words.count > 1 && Self.lastWords.contains(words[words.count - 1])
        return isTime ? .age : nil
    }

    /// What a flag in this column says of its row.
    enum Flag: Equatable {
        /// Done with, such as read.
        case done
        /// Not yet done with, such as unread.
        case open
        /// Wanted, such as starred.
        case wanted
        /// Gone for the app's user, such as deleted.
        case gone
    }

    /// What a flag in this column would say; nil if the name does not speak of one.
    var flag: Flag? {
        let isNegated = words.contains { ["not", "no", "non", "un"].contains($0) }
        let joined = words.filter { !["is", "was", "has", "flag", "item", "a"].contains($0) }.joined()
        let short = joined.hasPrefix("is") ? String(joined.dropFirst(2)) : joined
        for (flag, names) in Self.flags
        where [joined, short, words.last ?? ""].contains(where: names.contains) {
            switch flag {
            case .done where isNegated: return .open
            case _ where isNegated: return nil
            default: return flag
            }
        }
        return nil
    }

    /// Whether a text in this column would be a person's own, so that its row is wanted.
    var isAnnotation: Bool {
        words.contains {
            ["flags", "label", "labels", "tag", "tags", "note", "notes", "annotation"].contains($0)
        }
    }

    private static let times: Set = [
        "date", "time", "timestamp", "ts", "datetime", "seen", "received", "arrived", "arrival", "created",
        "creation", "inserted", "added", "fetched", "updated", "update", "modified", "modification",
        "changed",
        "published", "pub", "sent", "logged", "visited", "accessed", "mtime", "ctime", "atime", "when",
    ]
    /// A name such as `created_at` or `logged_on` ends in them.
    private static let lastWords: Set = ["at", "on"]
    private static let ends = ["date", "time", "timestamp", "stamp", "seen"]
    private static let durations: Set = [
        "candidate", "validate", "mandate", "runtime", "uptime", "playtime", "downtime", "lifetime",
        "overtime",
        "sometime",
    ]
    private static let deadlines: Set = [
        "expires", "expire", "expiry", "expiration", "deadline", "until", "ttl",
    ]
    private static let flags: [(Flag, Set<String>)] = [
        (.open, ["unread", "unseen", "new", "pending", "unprocessed"]),
        (
            .wanted,
            [
                "starred", "star", "favorite", "favourite", "favorited", "fav", "saved", "important",
                "pinned", "flagged",
                "marked", "bookmarked", "bookmark", "liked", "locked", "protected", "keep", "kept",
            ]
        ),
        (.done, ["read", "seen", "viewed", "processed", "completed", "done", "acknowledged", "delivered"]),
        (.gone, ["deleted", "removed", "trashed", "pdeleted"]),
    ]
}
