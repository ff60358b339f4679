/// What the rows of a table are, as far as its name tells.
enum TableRole: Equatable {
    /// What a person set up or wrote, such as settings, feeds and contacts: rows that no age makes worthless.
    case kept
    /// What a person marked, such as bookmarks: one row for each row of another table that is wanted.
    case mark
    /// What an app knows of rows of another table, such as what was read.
    case state
    /// What belongs to a row of another table and is nothing without it, such as enclosures.
    case part
    /// Anything else.
    case plain

    init(_ table: String) {
        let words = NameWords(table).words
        // The noun stands last, except before words such as data.
        let nouns = words.reversed().drop(while: Self.vague.contains)
        let noun = nouns.first ?? words.last ?? ""
        if words.contains(where: { Self.marks.contains($0) || Self.markParts.contains(where: $0.contains) })
            || Self.markEnds.contains(where: noun.hasSuffix)
        {
            self = .mark
        } else if words.contains(where: Self.states.contains)
            || Self.stateEnds.contains(where: noun.hasSuffix)
        {
            self = .state
        } else if Self.parts.contains(noun) {
            self = .part
        } else if Self.things.contains(noun) || Self.thingEnds.contains(where: noun.hasSuffix) {
            self = .kept
        } else {
            self = .plain
        }
    }

    /// Why no rule is proposed on a table of this role; nil if one may be.
    var reason: String? {
        switch self {
        case .kept: "by its name it has what a person set up or wrote, such as settings or subscriptions"
        case .mark: "by its name it has what a person marked"
        case .state: "by its name it says what is read, or in which state other rows are"
        case .part, .plain: nil
        }
    }

    private static let vague: Set = [
        "data", "info", "details", "list", "lists", "map", "meta", "ext", "table", "tbl",
    ]
    private static let marks: Set = [
        "star", "stars", "starred", "fav", "favs", "save", "saved", "pin", "pins", "pinned", "label",
        "labels", "tag", "tags",
        "tagging", "taggings", "tagged", "note", "notes", "annotation", "annotations", "highlight",
        "highlights", "like",
        "likes", "liked", "keep", "kept", "later", "todo", "todos", "flag", "flags", "flagged", "unread",
        "unseen", "wishlist",
        "watchlist", "queue", "queued", "outbox", "archive", "archived", "toread",
    ]
    private static let markParts = ["bookmark", "favorite", "favourite", "starred", "readlater"]
    private static let markEnds = ["tag", "tags", "label", "labels", "unread"]
    private static let states: Set = [
        "status", "statuses", "state", "states", "read", "reads", "seen", "viewed", "progress",
    ]
    private static let stateEnds = ["status", "statuses", "states", "state"]
    private static let parts: Set = [
        "enclosure", "enclosures", "attachment", "attachments", "content", "contents", "body", "bodies",
        "media", "image",
        "images", "thumbnail", "thumbnails", "part", "parts", "header", "headers", "author", "authors",
        "link", "links",
        "text", "texts", "search", "fts", "index", "recipient", "recipients", "param", "params", "parameter",
        "parameters",
    ]
    private static let things: Set = [
        "config", "configuration", "option", "options", "property", "properties", "metadata", "migration",
        "migrations",
        "version", "versions", "sequence", "schema", "subscription", "subscriptions", "subscriber",
        "subscribers", "channel",
        "channels", "source", "sources", "site", "sites", "podcast", "podcasts", "podcastshow", "show",
        "shows", "series",
        "category", "group", "groups", "collection", "collections", "playlist", "playlists", "filter", "rule",
        "rules",
        "script", "scripts", "profile", "profiles", "contact", "contacts", "member", "members", "membership",
        "memberships",
        "device", "devices", "client", "clients", "customer", "customers", "person", "people", "persons",
        "host", "hosts",
        "server", "servers", "token", "tokens", "key", "keys", "credential", "credentials", "password",
        "passwords",
        "permission", "permissions", "role", "roles", "certificate", "certificates", "memo", "memos", "task",
        "tasks",
        "reminder", "reminders", "draft", "drafts", "document", "documents", "photo", "photos", "album",
        "albums", "song",
        "songs", "track", "tracks", "book", "books", "recipe", "recipes", "appointment", "appointments",
        "calendar",
        "calendars", "journal", "diary", "invoice", "invoices", "order", "orders", "payment", "payments",
        "transaction",
        "transactions", "receipt", "receipts", "list", "lists", "room", "rooms", "chat", "chats",
        "conversation",
        "conversations", "board", "boards", "project", "projects", "team", "teams", "org", "orgs",
        "organization",
        "organizations", "vocabulary", "card", "cards", "deck", "decks", "plugin", "plugins", "extension",
        "extensions",
        "template", "templates", "dashboard", "dashboards", "alarm", "alarms", "schedule", "schedules",
    ]
    private static let thingEnds = [
        "setting", "settings", "config", "configs", "pref", "prefs", "preference", "preferences", "feed",
        "feeds", "folder",
        "folders", "categories", "filters", "subscriptions", "account", "accounts", "user", "users",
    ]
}
