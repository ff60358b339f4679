/// What the words of a column's name say about its values.
struct NameWords {
    /// In lower case: `lastSeen_at` is last, seen, at.
    let words: [String]

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

    /// Whether a time in this column is when something of the row ends or comes up, and not the row itself.
    var isPlan: Bool {
        if words.contains(where: Self.plans.contains) { return true }
        return time == .deadline && (words == ["until"] || !words.allSatisfy(Self.deadlineFillers.contains))
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
    /// What may stand beside the words of a deadline that is the row's own, not that of a token or of a reminder.
    private static let deadlineFillers: Set = [
        "expires", "expire", "expiry", "expiration", "at", "on", "date", "time", "timestamp", "ts", "utc",
        "is", "row",
        "entry", "record", "item", "cache", "cached", "cookie", "session", "valid", "until", "ttl", "s", "ms",
        "seconds",
    ]
    private static let plans: Set = [
        "due", "remind", "reminder", "snooze", "snoozed", "schedule", "scheduled", "alarm", "appointment",
        "birthday",
        "planned", "deferred",
    ]
}
